internal import Audit
internal import Host
internal import Review

extension CommandFailure {
  /// Why reading the log in `directory` failed.
  static func audit(_ error: AuditError, _ directory: String) -> CommandFailure {
    switch error {
    case .disk(let error): .unreadable(directory, error)
    case .tampered(let sequence, _): .failed("\(directory): tampered with at record \(sequence); see kist audit verify")
    case .truncated: .failed("\(directory): a segment is missing; see kist audit verify")
    case .unavailable, .full, .inUse, .clock, .displaced, .signing: .failed("\(directory): cannot be read")
    }
  }

  /// Why nothing more was removed of the log in `directory`.
  static func retention(_ error: RetentionError, _ directory: String) -> CommandFailure {
    switch error {
    case .notGood(let found): CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
    case .log, .proof: .failed("\(directory): cannot be read")
    case .disk(let error): .failed("\(directory): \(error.text)")
    }
  }
}
