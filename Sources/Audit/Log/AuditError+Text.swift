internal import Host

extension AuditError {
  /// What is wrong with the log, in words that follow its name.
  package var text: String {
    switch self {
    case .unavailable: "it takes no more records in this process"
    case .full: "its disk is full"
    case .inUse: "another process has it open"
    case .disk(let error): error.text
    case .clock: "the clock shows a year that no record can have"
    case .displaced: "the segment being written was removed, cut or replaced"
    case .signing: "its checkpoint could not be signed"
    case .truncated(let size, let expected): "it has \(size) records, and \(expected) were known"
    case .tampered(let sequence, let what): "it was changed at record \(sequence) (\(what.rawValue)); see kist audit verify"
    }
  }
}
