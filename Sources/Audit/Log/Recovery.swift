internal import Crypto
internal import Format
internal import Host

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
  /// Every step can be repeated: a torn tail is saved before it is cut off, and stays due to be recorded until its record is written.
  static func run(
    _ directory: LogDirectory, verifier: NoteVerifier, settings: AuditSettings, anchor: TreeHead?
  ) throws(AuditError) -> Recovery {
    var segments = try onDisk { () throws(DiskError) in try directory.segments() }
    var unfinished: [SegmentName] = []
    while let name = segments.popLast() {
      let file = try directory.read(name)
      var scan = SegmentScan(file, name, after: nil, verifier: verifier, signatures: .last, anchor: anchor)
      try scan.run()
      guard let state = scan.progress.covered else {
        unfinished.append(name)
        continue
      }
      try check(state, unfinished, anchor)
      try discard(unfinished, after: state, in: directory)
      let tail = scan.ending == .torn ? try scan.uncovered() : []
      let live = try cut(name, to: scan.coveredEnd, keeping: tail, state, directory, settings)
      return Recovery(state: state, live: live, torn: try TornTail.unrecorded(at: state.tree.size, in: directory), newest: try scan.newestTime())
    }
    let state = LogState(genesis: settings.firstPrevious)
    try check(state, unfinished, anchor)
    try discard(unfinished, after: state, in: directory)
    return Recovery(state: state, live: nil, torn: try TornTail.unrecorded(at: 0, in: directory))
  }

  /// Refuses a log that is shorter than the anchor or its segments say; called before anything is changed.
  private static func check(_ state: LogState, _ unfinished: [SegmentName], _ anchor: TreeHead?) throws(AuditError) {
    let size = state.tree.size
    if let anchor, anchor.size > size { throw .truncated(size: size, expected: anchor.size) }
    // A segment is created only when the one before it is complete.
    for name in unfinished where name.first != size { throw .truncated(size: size, expected: name.first) }
  }

  private static func cut(
    _ name: SegmentName, to end: Int, keeping tail: [UInt8], _ state: LogState, _ directory: LogDirectory, _ settings: AuditSettings
  ) throws(AuditError) -> LiveSegment {
    try onDisk { () throws(DiskError) in
      try TornTail.quarantine(tail, size: state.tree.size, in: directory)
      var live = try LiveSegment.resume(name, in: directory, at: end, chunk: settings.allocation)
      if !tail.isEmpty { try live.finish() }
      return live
    }
  }

  private static func discard(_ unfinished: [SegmentName], after state: LogState, in directory: LogDirectory) throws(AuditError) {
    for name in unfinished {
      try onDisk { () throws(DiskError) in
        let bytes = try SegmentReader(try directory.open(name, .read)).remainder(from: 0)
        try TornTail.quarantine(bytes, size: state.tree.size, in: directory)
        try directory.remove(name)
      }
    }
  }
}
