internal import KeyStore

extension KeyStoreError {
  /// - Parameter advice: what to do if another process has the key store open.
  func text(whereInUse advice: String) -> String { self == .inUse ? text + "; " + advice : text }
}
