/// What a caller learns about its request, and whose fault a failure was; numbers are never reused.
package enum Status: UInt8, CaseIterable, Sendable {
  case ok = 0
  /// The caller's bytes break the protocol; the connection is closed.
  case malformed = 1
  /// This version does not know the opcode.
  case unsupported = 2
  /// The caller may not do this, or there is no such key; the two look the same.
  case denied = 3
  /// The request was understood and refused; the audit record names the stage.
  case rejected = 4
  /// Too much load, or a rate was exceeded; the caller may try again.
  case busy = 5
  /// The key store is locked.
  case locked = 6
  /// The audit log cannot be written, so nothing is served.
  case auditUnavailable = 7
  /// A fault of the daemon.
  case `internal` = 8
  /// A second person must approve; then the same request, sent again, is carried out once.
  case approvalNeeded = 9

  package var name: String {
    switch self {
    case .ok: "ok"
    case .malformed: "malformed"
    case .unsupported: "unsupported"
    case .denied: "denied"
    case .rejected: "rejected"
    case .busy: "busy"
    case .locked: "locked"
    case .auditUnavailable: "audit-unavailable"
    case .internal: "internal"
    case .approvalNeeded: "approval-needed"
    }
  }
}
