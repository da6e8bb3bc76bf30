/// A field whose values stand in the audit log as keyed digests only; numbers are never reused.
package enum DigestField: UInt8, CaseIterable, Sendable {
  /// Apple's transaction identifier, 32 bytes.
  case transaction = 1
  /// An account number, ASCII digits.
  case pan = 2

  /// As the log's record and the digested bytes have it.
  package var name: String {
    switch self {
    case .transaction: "transaction"
    case .pan: "pan"
    }
  }
}
