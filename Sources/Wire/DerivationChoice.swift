/// A key derivation function with its hash; numbers are never reused.
package enum DerivationChoice: UInt8, Named, Sendable {
  case oneStepSHA256 = 1
  case oneStepSHA384 = 2
  case oneStepSHA512 = 3
  case x963SHA256 = 4
  case x963SHA384 = 5
  case x963SHA512 = 6
  case hkdfSHA256 = 7
  case hkdfSHA384 = 8
  case hkdfSHA512 = 9

  /// The name on the command line.
  package var name: String {
    switch self {
    case .oneStepSHA256: "one-step-sha256"
    case .oneStepSHA384: "one-step-sha384"
    case .oneStepSHA512: "one-step-sha512"
    case .x963SHA256: "x963-sha256"
    case .x963SHA384: "x963-sha384"
    case .x963SHA512: "x963-sha512"
    case .hkdfSHA256: "hkdf-sha256"
    case .hkdfSHA384: "hkdf-sha384"
    case .hkdfSHA512: "hkdf-sha512"
    }
  }
}
