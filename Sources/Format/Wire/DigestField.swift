/// A field whose values appear in the audit log only as keyed digests; numbers are never reused.
package enum DigestField: UInt8, CaseIterable, Sendable {
  /// Apple's transaction identifier, 32 bytes.
  case transaction = 1
  /// An account number, ASCII digits.
  case pan = 2
  /// Whom a one-time code is for, up to 128 bytes.
  case subject = 3

  /// The name in audit records and in the digested bytes.
  package var name: String {
    switch self {
    case .transaction: "transaction"
    case .pan: "pan"
    case .subject: "subject"
    }
  }
}
