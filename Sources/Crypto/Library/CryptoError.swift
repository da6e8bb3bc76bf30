import COpenSSL
import Host

/// Why a cryptographic operation failed.
package enum CryptoError: Error, Equatable, Sendable {
  /// The key's encoding, size or consistency is wrong.
  case invalidKey
  /// A peer's point is badly encoded or not on the curve.
  case invalidPoint
  /// Another argument has a wrong size or form.
  case invalidInput
  /// A tag, padding or unwrapping failed; deliberately one value for all of these.
  case authenticationFailed
  case invalidCertificate
  /// The arena is full.
  case exhausted
  /// OpenSSL or libsodium failed at something that always works: a fault of ours.
  case backend
}

extension CryptoError {
  /// What failed, in a few words; of the data it says nothing.
  package var text: String {
    switch self {
    case .exhausted: "no memory for secrets is left"
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate,
      .backend:
      "a cryptographic operation failed"
    }
  }
}

/// Throws `error` unless an OpenSSL function returned 1.
func check(_ result: Int32, or error: CryptoError = .backend) throws(CryptoError) {
  guard result == 1 else { throw failure(error) }
}

/// The meaning of a failed call: `error`, unless OpenSSL's error queue says that memory ran out.
package func failure(_ error: CryptoError) -> CryptoError {
  OpenSSLErrors.drain().isExhausted ? .exhausted : error
}

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
      if ERR_GET_LIB(code) == ERR_LIB_PKCS12 && reason == PKCS12_R_MAC_VERIFY_FAILURE {
        errors.isWrongMAC = true
      }
    }
  }

  // ERR_R_MALLOC_FAILURE and ERR_R_UNSUPPORTED, macros that Swift cannot import.
  private static let mallocFailure: Int32 = 0xC0100
  private static let unsupported: Int32 = 0x8010C
}
