internal import CryptoBackend

/// Why no one-time value of a payment network was made.
package enum ActivationError: Error, Equatable, Sendable {
  /// A value is missing, surplus or of another form than its own.
  case input
  /// The arena is full.
  case exhausted
  /// OpenSSL refused what it must do: a fault of ours.
  case backend

  init(_ error: CryptoError) { self = error == .exhausted ? .exhausted : .backend }
}
