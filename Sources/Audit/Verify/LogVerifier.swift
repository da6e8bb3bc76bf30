internal import CryptoBackend
internal import Storage

/// Checks a whole log without its daemon: every record, every link, every checkpoint's size, root and signature.
///
/// It streams, so its memory does not grow with the log.
package struct LogVerifier {
  private let verifier: NoteVerifier
  private let anchor: TreeHead?

  /// - Parameter anchor: a tree head kept outside the host; without one, a log cut back to an older checkpoint is good.
  package init(_ verifier: NoteVerifier, anchor: TreeHead? = nil) { (self.verifier, self.anchor) = (verifier, anchor) }

  package func verify(_ directory: LogDirectory) -> Verification {
    var found = Verification()
    do throws(AuditError) {
      found.verdict = try verify(directory, into: &found)
    } catch {
      found.verdict = Verdict(error)
    }
    return found
  }

  private func verify(_ directory: LogDirectory, into found: inout Verification) throws(AuditError) -> Verdict {
    let segments = try onDisk { () throws(DiskError) in try directory.segments() }
    guard let oldest = segments.first else { return .unreadable(nil) }
    found.firstSequence = oldest.first
    var state: LogState?
    for name in segments {
      if let state { try checkNext(name, after: state) }
      let isLast = name == segments.last
      var scan = SegmentScan(
        try onDisk { () throws(DiskError) in try directory.open(name, .read) }, name,
        after: state, verifier: verifier, signatures: .every, anchor: anchor)
      let ending = try scan.run()
      found.segmentCount += 1
      found.checkpointCount += scan.checkpointCount
      if let covered = scan.progress.covered {
        state = covered
        found.head = covered.tree.head
      }
      if ending == .torn {
        let tail = try scan.uncovered()
        guard isLast else { throw .tampered(at: scan.progress.coveredSize, .remainder) }
        return .torn(bytes: tail.count, records: Int(scan.progress.size - scan.progress.coveredSize))
      }
      if !isLast, try scan.paddedRemainder() > 0 { throw .tampered(at: scan.progress.coveredSize, .remainder) }
    }
    return try compare(found.head)
  }

  private func checkNext(_ name: SegmentName, after state: LogState) throws(AuditError) {
    let size = state.tree.size
    guard name.first <= size else { throw .truncated(size: size, expected: name.first) }
    guard name.first == size else { throw .tampered(at: name.first, .sequence) }
  }

  private func compare(_ head: TreeHead?) throws(AuditError) -> Verdict {
    guard let head else { return .torn(bytes: 0, records: 0) }
    if let anchor, anchor.size > head.size { throw .truncated(size: head.size, expected: anchor.size) }
    return .good
  }
}
