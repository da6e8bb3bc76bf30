internal import Audit
internal import Encoding

extension Command {
  static let auditShow = Command(
    name: "audit show",
    summary: "print audit records",
    usage: """
      Usage: kist audit show DIR [SEQUENCE | --since TIME] [--json]

      All records, the one with that sequence, or those from that time on. The chain
      is checked on the way; kist audit verify checks the signatures too.

        --since TIME  such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --json        the records as they stand in the log, one per line

      """,
    options: [.value("since"), .json],
    operands: 1...2
  ) { arguments throws(CommandFailure) in
    let since = try arguments.since()
    let sequence = try sequence(arguments)
    guard since == nil || sequence == nil else { throw .usage("a sequence and --since exclude each other") }
    try Hardening.prepareForPublicData()
    let log = AuditRecords(arguments.operands[0], inJSON: arguments.has("json"))
    if let since {
      try log.print(since: since)
    } else if let sequence {
      try log.print(only: sequence)
    } else {
      _ = try log.print(from: 0)
    }
  }

  private static func sequence(_ arguments: Arguments) throws(CommandFailure) -> UInt64? {
    guard arguments.operands.count == 2 else { return nil }
    guard let sequence = UInt64(arguments.operands[1]) else { throw .usage("'\(arguments.operands[1])' is no sequence number") }
    return sequence
  }
}
