import Crypto
package import Host

/// Why no one-time value of a payment network was made.
package enum ActivationError: Error, Equatable {
  /// A value is missing, surplus or malformed.
  case input
  /// The arena is full.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend

  init(_ error: CryptoError) { self = error == .exhausted ? .exhausted : .backend }
}

/// Activation values inside other texts.
package enum ActivationText {
  package static func base64(_ value: Span<UInt8>) throws(ActivationError) -> SecretBuffer {
    do throws(CryptoError) {
      var text = try SecretWriter(capacity: (value.count + 2) / 3 * 4)
      text.addBase64(value)
      return try text.contents()
    } catch { throw ActivationError(error) }
  }
}
