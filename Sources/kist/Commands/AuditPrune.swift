internal import Audit
internal import Encoding
internal import Evidence
internal import Storage

extension Command {
  static let auditPrune = Command(
    name: "audit prune",
    summary: "take the oldest segments of a log away",
    usage: """
      Usage: kist audit prune DIR --before TIME --key VKEY|FILE [--dry-run] [--json]

      Removes the complete segments all of whose records are older than TIME, after
      checking the log; never the one in use. The signed root of what they held stays
      in pruned/, and the rest verifies as before. Export them first: kist audit
      export.

        --before TIME    such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --key VKEY|FILE  the log's verifier key, or a file that holds it
        --dry-run        only say which
        --json           answer in JSON

      The exit codes are those of kist audit verify; nothing is removed unless the log
      is good.

      """,
    options: [.value("before"), .value("key"), .flag("dry-run"), .json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let directory = arguments.operands[0]
    guard let time = try arguments.time("before") else { throw .usage("--before is missing") }
    let key = try arguments.required("key")
    try Hardening.prepareForPublicData()
    let retention = Retention(LogDirectory(directory), try NoteVerifier.read(key))
    guard let pruning = try expired(retention, before: time, directory) else {
      return tell([], of: 0, "nothing of \(directory) is older", arguments)
    }
    let (segments, size) = (pruning.segments, pruning.checkpoint.checkpoint.head.size)
    guard !arguments.has("dry-run") else { return tell(segments, of: size, "would be removed", arguments) }
    do throws(DiskError) { try retention.prune(pruning) } catch { throw .failed("\(directory): \(SystemError.text(error.errno))") }
    tell(segments, of: size, "removed; their checkpoint is \(directory)/pruned/\(size)", arguments)
  }

  private static func expired(_ retention: Retention, before time: Timestamp, _ directory: String) throws(CommandFailure) -> Retention.Pruning? {
    do throws(RetentionError) {
      return try retention.expired(before: time)
    } catch {
      switch error {
      case .notGood(let found): throw CommandFailure(code: found.verdict.exitCode, "\(directory): \(found.verdict.text)")
      case .log: throw .failed("\(directory): cannot be read")
      }
    }
  }

  private static func tell(_ segments: [String], of size: UInt64, _ what: String, _ arguments: Arguments) {
    if arguments.has("json") {
      return Output.write(.object([.init("segments", .array(segments.map { .string($0) })), .init("size", .count(size))]))
    }
    for segment in segments { Output.write(segment + "\n") }
    Output.write(what + "\n")
  }
}
