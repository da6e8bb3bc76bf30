internal import Crypto

/// Why no one-time value of a payment network was made.
package enum ActivationError: Error, Equatable, Sendable {
  /// A value is missing, surplus or malformed.
  case input
  /// The arena is full.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend

  init(_ error: CryptoError) { self = error == .exhausted ? .exhausted : .backend }
}
