package import Configuration
package import Crypto
package import Host
package import KeyStore

/// Why there is no sandbox.
package enum SandboxError: Error, Equatable, Sendable {
  /// The path has characters other than printable ASCII, or leaves a socket's path no room.
  case path
  /// The directory is not empty.
  case present
  /// The directory has no sandbox's configuration.
  case notSandbox
  /// A file of the test PKI is not valid.
  case pki
  /// A pass that Apple or the payment network would refuse.
  case pass(PassFault)
  case configuration(ConfigurationError)
  case storage(StorageError)
  case keyStore(KeyStoreError)
  case crypto(CryptoError)
}

extension SandboxError {
  static func disk<R: ~Copyable>(_ body: () throws(DiskError) -> R) throws(SandboxError) -> R {
    do throws(DiskError) { return try body() } catch { throw .storage(.disk(error)) }
  }

  static func crypto<R: ~Copyable>(_ body: () throws(CryptoError) -> R) throws(SandboxError) -> R {
    do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
  }

  static func keyStore<R: ~Copyable>(_ body: () throws(KeyStoreError) -> R) throws(SandboxError)
    -> R
  {
    do throws(KeyStoreError) { return try body() } catch { throw .keyStore(error) }
  }

  static func configuration<R: ~Copyable>(_ body: () throws(ConfigurationError) -> R)
    throws(SandboxError) -> R
  {
    do throws(ConfigurationError) { return try body() } catch { throw .configuration(error) }
  }
}
