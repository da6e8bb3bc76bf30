internal import Audit
internal import Format
internal import Host
internal import Review

extension Command {
  static let auditPrune = Command(
    name: "audit prune",
    summary: "remove the oldest segments of a log",
    usage: """
      Usage: kist audit prune DIR --before TIME --key VKEY|FILE [--config FILE]
                              [--checkpoint FILE]... [--dry-run] [--json]

      Checks the log, and removes the complete segments whose records are all older
      than TIME, but never the one in use. The signed root of their records stays in
      pruned/, and the rest verifies as before. Export them first: kist audit export.
      Proofs stay there, too, by which older checkpoints can still be compared: those
      given, of segments, reviews, backups and ceremonies.
      It refuses what kistd may have to read, the last week and 75 minutes, and what
      restoring the newest backup needs: make a newer one first (kist backup).

        --before TIME    such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --config FILE    the daemon's configuration (default: /etc/kist/kist.toml),
                         for a sandbox's clock
        --key VKEY|FILE  the log's verifier key, or a file that holds it
        --checkpoint FILE  a checkpoint of this log that somebody kept, such as an
                         auditor or witnesses; the log must agree with it
        --dry-run        only print which segments
        --json           answer in JSON

      The exit codes are those of kist audit verify, and 75 if kistd or the newest
      backup still needs the records. Nothing is removed unless the log is good.

      """,
    options: OldSegments.options + [.values("checkpoint")],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let old = try OldSegments(arguments, kept: arguments.all("checkpoint"))
    let directory = old.directory
    guard let pruning = old.pruning else { return tell([], of: 0, "nothing of \(directory) is older", arguments) }
    let (segments, size) = (pruning.segments, pruning.checkpoint.checkpoint.head.size)
    try old.keepForBackup(before: size)
    guard !arguments.has("dry-run") else { return tell(segments, of: size, "would be removed", arguments) }
    do throws(RetentionError) { try old.retention.prune(pruning) } catch { throw .retention(error, directory) }
    tell(segments, of: size, "removed; their checkpoint is \(directory)/pruned/\(size)", arguments)
  }

  private static func tell(_ segments: [String], of size: UInt64, _ what: String, _ arguments: Arguments) {
    if arguments.has("json") {
      return Output.write(["segments": .array(segments.map { .string($0) }), "size": .count(size)])
    }
    for segment in segments { Output.write(segment + "\n") }
    Output.write(what + "\n")
  }
}
