package import CryptoBackend
package import SecretMemory
package import Wire

/// Why an operation gave no result, sorted by whose fault it is.
package enum OperationError: Error, Sendable {
  /// The caller's bytes.
  case wire(WireError)
  /// The caller's data: one answer outside, the stage in the log.
  case rejected(Stage)
  /// There is no key that this grant could use: answered as a denial.
  case noSuchKey
  /// Load: the arena or a table is full.
  case busy
  /// Us, or the machine.
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
