internal import Format
internal import Host
internal import Review

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

  private static func tell(_ segments: [String], _ saving: SegmentCompression.Saving?, _ arguments: Arguments) {
    guard !arguments.has("json") else {
      return Output.write([
        "after": saving.map { .count($0.after) }, "before": saving.map { .count($0.before) }, "segments": .array(segments.map { .string($0) }),
      ])
    }
    for segment in segments { Output.write(segment + "\n") }
    guard !segments.isEmpty else { return Output.write("nothing that is older is left to compress\n") }
    Output.write(saving.map { "compressed: \($0.before) bytes are now \($0.after)\n" } ?? "would be compressed\n")
  }
}
