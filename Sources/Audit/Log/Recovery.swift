import Crypto
import Format
import Host

/// The state of a log that is opened, after what a crash left was moved aside.
struct Recovery: ~Copyable {
  let state: LogState
  /// The segment to continue; nil if there is none.
  var live: LiveSegment?
  let torn: [TornTail]
  /// The time of the last record; nil if there is none.
  var newest: Timestamp?

  /// Checks the last segment that has a checkpoint, and cuts the log back to that checkpoint.
  ///
  /// Every step can be repeated: a torn tail is saved before it is cut off, and stays due to be
  /// recorded until its record is written.
  static func run(
    _ directory: LogDirectory, verifier: NoteVerifier, settings: AuditSettings, anchor: TreeHead?
  ) throws(AuditError) -> Recovery {
    var segments = try onDisk(directory.segments())
    var unfinished: [SegmentName] = []
    while let name = segments.popLast() {
      let file = try directory.read(name)
      var scan = SegmentScan(
        file, name, after: nil, verifier: verifier, signatures: .last, anchor: anchor)
      try scan.run()
      guard let state = scan.progress.covered else {
        unfinished.append(name)
        continue
      }
      try check(state, unfinished, anchor)
      try discard(unfinished, after: state, in: directory)
      let tail = scan.ending == .torn ? try scan.uncovered() : []
      let live = try cut(name, to: scan.coveredEnd, keeping: tail, state, directory, settings)
      return Recovery(
        state: state, live: live, torn: try TornTail.unrecorded(at: state.tree.size, in: directory),
        newest: try scan.newestTime())
    }
    let state = LogState(genesis: settings.firstPrevious)
    try check(state, unfinished, anchor)
    try discard(unfinished, after: state, in: directory)
    return Recovery(state: state, live: nil, torn: try TornTail.unrecorded(at: 0, in: directory))
  }

  /// Refuses a log that is shorter than the anchor or its segments say; called before anything is
  /// changed.
  private static func check(_ state: LogState, _ unfinished: [SegmentName], _ anchor: TreeHead?)
    throws(AuditError)
  {
    let size = state.tree.size
    if let anchor, anchor.size > size { throw .truncated(size: size, expected: anchor.size) }
    // A segment is created only when the one before it is complete.
    for name in unfinished where name.first != size {
      throw .truncated(size: size, expected: name.first)
    }
  }

  private static func cut(
    _ name: SegmentName, to end: Int, keeping tail: [UInt8], _ state: LogState,
    _ directory: LogDirectory, _ settings: AuditSettings
  ) throws(AuditError) -> LiveSegment {
    do throws(DiskError) {
      try TornTail.quarantine(tail, size: state.tree.size, in: directory)
      var live = try LiveSegment.resume(name, in: directory, at: end, chunk: settings.allocation)
      if !tail.isEmpty { try live.finish() }
      return live
    } catch { throw .disk(error) }
  }

  private static func discard(
    _ unfinished: [SegmentName], after state: LogState, in directory: LogDirectory
  ) throws(AuditError) {
    for name in unfinished {
      do throws(DiskError) {
        let bytes = try SegmentReader(try directory.open(name, .read)).remainder(from: 0)
        try TornTail.quarantine(bytes, size: state.tree.size, in: directory)
        try directory.remove(name)
      } catch { throw .disk(error) }
    }
  }
}

/// What a crash left after the last checkpoint, moved to `torn/` under a name made of the log's
/// size then and the tail's hash.
///
/// No caller was told of anything in it, since a reply waits for the checkpoint that covers it.
struct TornTail: Equatable {
  let byteCount: Int
  /// The number of complete lines in it that begin with `{`.
  let recordCount: Int
  let digest: Digest256

  init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    digest = SHA256.hash(bytes)
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    recordCount = lines.count { $0.first == UInt8(ascii: "{") }
  }

  /// Saves the bytes; repeating it changes nothing.
  static func quarantine(_ bytes: [UInt8], size: UInt64, in directory: LogDirectory)
    throws(DiskError)
  {
    guard !bytes.isEmpty else { return }
    try DurableFile.makeDirectory("torn", in: directory.path, on: directory.disk)
    let name = SegmentName.padded(size) + "-" + SHA256.hash(bytes).hex
    try DurableFile.replace(name, in: directory.tornPath, with: bytes.span, on: directory.disk)
  }

  /// The tails moved aside when the log had this size; the log has no record of them yet.
  static func unrecorded(at size: UInt64, in directory: LogDirectory) throws(AuditError)
    -> [TornTail]
  {
    var found: [TornTail] = []
    do throws(DiskError) {
      guard try directory.disk.list(directory.path).contains("torn") else { return [] }
      for name in try directory.disk.list(directory.tornPath)
      where name.hasPrefix(SegmentName.padded(size) + "-") {
        let file = try File(directory.tornPath + "/" + name, .read, on: directory.disk)
        found.append(TornTail(try SegmentReader(file).remainder(from: 0)))
      }
    } catch { throw .disk(error) }
    return found
  }
}
