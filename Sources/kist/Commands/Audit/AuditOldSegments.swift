import Audit
import Configuration
import Format
import Host
import Policy
import Review

extension Command {
  static let auditCompress = Command(
    name: "audit compress",
    summary: "compress the oldest segments of a log",
    usage: """
      Usage: kist audit compress DIR --before TIME --key VKEY|FILE [--config FILE]
                                 [--dry-run] [--json]

      Checks the log, and compresses the complete segments whose records are all older
      than TIME, but never the one in use. It expands and compares each compressed
      segment before it removes the plain one. Every kist audit command reads both;
      kistd reads only plain ones, and kist restore expands those that it needs. It
      refuses what kistd may have to read: the last week and 75 minutes.
      zstd -d --rm undoes a compression.

        --before TIME    such as 2026-11-20 or 2026-11-20T09:30:00Z, in UTC
        --config FILE    the daemon's configuration (default: /etc/kist/kist.toml),
                         for a sandbox's clock
        --key VKEY|FILE  the log's verifier key, or a file that holds it
        --dry-run        only print which segments
        --json           answer in JSON

      The exit codes are those of kist audit verify, and 75 if kistd still needs the
      records. Nothing is compressed unless the log is good. Needs Debian's zstd.

      """,
    options: OldSegments.options,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let old = try OldSegments(arguments)
    let compression = SegmentCompression(old.directory)
    var saving = SegmentCompression.Saving()
    do throws(DiskError) {
      let plain = try compression.plain(old.pruning?.segments ?? [])
      guard !arguments.has("dry-run") else { return tell(plain, nil, arguments) }
      for segment in plain {
        if let saved = try compression.compress(segment) { saving += saved }
      }
      tell(plain, saving, arguments)
    } catch { throw .failed("\(old.directory): \(error.text)") }
  }

  private static func tell(
    _ segments: [String], _ saving: SegmentCompression.Saving?, _ arguments: Arguments
  ) {
    guard !arguments.has("json") else {
      return Output.write([
        "after": saving?.after, "before": saving?.before, "segments": segments,
      ])
    }
    for segment in segments { Output.write(segment + "\n") }
    guard !segments.isEmpty else {
      return Output.write("nothing that is older is left to compress\n")
    }
    Output.write(
      saving.map { "compressed: \($0.before) bytes are now \($0.after)\n" }
        ?? "would be compressed\n")
  }
}

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
    guard let pruning = old.pruning else {
      return tell([], of: 0, "nothing of \(directory) is older", arguments)
    }
    let segments = pruning.segments
    let size = pruning.checkpoint.checkpoint.head.size
    try old.keepForBackup(before: size)
    guard !arguments.has("dry-run") else {
      return tell(segments, of: size, "would be removed", arguments)
    }
    do throws(RetentionError) { try old.retention.prune(pruning) } catch {
      throw .retention(error, directory)
    }
    tell(segments, of: size, "removed; their checkpoint is \(directory)/pruned/\(size)", arguments)
  }

  private static func tell(
    _ segments: [String], of size: UInt64, _ what: String, _ arguments: Arguments
  ) {
    if arguments.has("json") {
      return Output.write(["segments": segments, "size": size])
    }
    for segment in segments { Output.write(segment + "\n") }
    Output.write(what + "\n")
  }
}

/// The complete segments of a valid log that are older than the given time.
struct OldSegments {
  let directory: String
  let retention: Retention
  /// Nil if nothing is that old.
  let pruning: Retention.Pruning?

  static let options: [Option] = [
    "before", "config", "key", .flag("dry-run"), .json,
  ]

  /// - Throws: with the exit code of `kist audit verify` if the log is not good; with 75 if kistd
  ///   would need some of them at its start.
  /// - Parameter kept: files with checkpoints that somebody kept.
  init(_ arguments: Arguments, kept files: [String] = []) throws(CommandFailure) {
    directory = arguments.operands[0]
    guard let time = try arguments.time("before") else { throw .usage("--before is missing") }
    let key = try arguments.verifierKey()
    let readBack = try ReadBack(configuration: arguments.value("config"))
    try Hardening.prepareForPublicData()
    // An export is never changed.
    let verifier = try NoteVerifier.read(key)
    var kept: [TreeHead] = []
    for path in files { kept.append(try verifier.checkpoint(path).checkpoint.head) }
    retention = Retention(LogDirectory(directory, on: ArchiveDisk()), verifier, kept: kept)
    do throws(RetentionError) {
      pruning = try retention.expired(before: time, at: readBack.now)
    } catch { throw .retention(error, directory) }
    if let pruning { try readBack.allow(pruning.end) }
  }

  /// Refuses to remove records before `size` that the newest backup needs.
  func keepForBackup(before size: UInt64) throws(CommandFailure) {
    let backup: (record: UInt64, needs: UInt64)?
    do throws(AuditError) { backup = try retention.newestBackup() } catch {
      throw .audit(error, directory)
    }
    guard let backup, backup.needs < size else { return }
    throw CommandFailure(
      code: ReadBack.tooEarly,
      "the newest backup, of record \(backup.record), can be restored fully only while the records from \(backup.needs) on are there: make another with kist backup, then prune"
    )
  }
}

/// Which part of its log stays where kistd reads it: it reads only plain segments.
struct ReadBack {
  /// The time by the daemon's clock.
  let now: Timestamp

  /// For how long a record stays, in seconds: a week and 75 minutes, the most that a start can
  /// need.
  ///
  /// That is a fleet's memory of envelopes that open once. A quota's week, also of a policy that is
  /// only made tomorrow, and four freshness windows and retry windows are shorter.
  private static let kept = ReplayHorizon.memory(
    window: (MerchantConfiguration.longestOneUse + MerchantConfiguration.longestRetry).wholeSeconds,
    lead: ReplayHorizon.envelopeLead)

  /// By the clock of a configuration, which a sandbox may set.
  ///
  /// - Parameter path: nil for the usual place.
  init(configuration path: String?) throws(CommandFailure) {
    var clock: Timestamp?
    let usual = DaemonConfiguration.defaultPath
    if path != nil || Input.isThere(usual) {
      clock = try onConfiguration(DaemonConfiguration.load(path ?? usual).sandbox?.clock)
    }
    now = clock ?? .now
  }

  /// Refuses to remove records as new as `newest` while they must stay.
  func allow(_ newest: Timestamp) throws(CommandFailure) {
    let since = now.adding(seconds: -Self.kept)
    guard newest > since else { return }
    let end = newest.adding(seconds: Self.kept)
    throw CommandFailure(
      code: Self.tooEarly,
      "kistd may have to read what was written since \(since.wholeSeconds): give --before \(since.wholeSeconds), or wait until \(end.wholeSeconds)"
    )
  }

  /// EX_TEMPFAIL
  static let tooEarly: Int32 = 75
}
