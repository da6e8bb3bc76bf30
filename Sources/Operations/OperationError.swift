package import CryptoBackend
package import SecretMemory
package import Wire

/// Why an operation failed, by whose fault it is.
package enum OperationError: Error, Sendable {
  /// The caller sent bytes that do not parse.
  case wire(WireError)
  /// The caller's data was refused: the caller gets one uniform answer, the log the stage.
  case rejected(Stage)
  /// The grant reaches no usable key: answered as a denial.
  case noSuchKey
  /// Overload: the arena or a table is full.
  case busy
  /// A fault of the daemon or the machine.
  case fault
}

extension OperationError {
  package init(_ error: CryptoError) {
    switch error {
    case .exhausted: self = .busy
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate, .backend: self = .fault
    }
  }

  package init(_ error: SecretMemoryError) {
    switch error {
    case .exhausted: self = .busy
    case .refused: self = .fault
    }
  }
}
