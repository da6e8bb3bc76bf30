internal import COpenSSL
internal import Host

/// Throws `error` unless an OpenSSL function returned 1.
func check(_ result: Int32, or error: CryptoError = .backend) throws(CryptoError) {
  guard result == 1 else { throw failure(error) }
}

/// The meaning of a failed call: `error`, unless OpenSSL's error queue says that memory ran out.
package func failure(_ error: CryptoError) -> CryptoError { OpenSSLErrors.drain().isExhausted ? .exhausted : error }

/// A summary of this thread's error queue; its texts are never used.
package struct OpenSSLErrors {
  package private(set) var isExhausted = false
  /// No loaded provider has the algorithm.
  package private(set) var isUnsupported = false
  /// A PKCS #12 file was made with another passphrase.
  package private(set) var isWrongMAC = false

  /// Empties the queue.
  package static func drain() -> OpenSSLErrors {
    var errors = OpenSSLErrors()
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return errors }
      let reason = ERR_GET_REASON(code)
      if reason == mallocFailure { errors.isExhausted = true }
      if reason == unsupported { errors.isUnsupported = true }
      if ERR_GET_LIB(code) == ERR_LIB_PKCS12 && reason == PKCS12_R_MAC_VERIFY_FAILURE { errors.isWrongMAC = true }
    }
  }

  // ERR_R_MALLOC_FAILURE and ERR_R_UNSUPPORTED, macros that Swift cannot import.
  private static let mallocFailure: Int32 = 0xC0100
  private static let unsupported: Int32 = 0x8010C
}
