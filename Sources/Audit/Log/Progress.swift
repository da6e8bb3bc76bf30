internal import Crypto
internal import Format

/// How far the scan of one segment has come, and how much of it a checkpoint covers.
package struct Progress {
  private let first: UInt64
  /// A tree head kept elsewhere.
  private let anchor: TreeHead?
  private var missesAnchor = false
  /// The state after the last record; nil at the start of a segment that is read without its predecessors.
  private var running: LogState?

  /// The state at the last valid checkpoint; nil if the segment has none.
  package private(set) var covered: LogState?

  init(first: UInt64, after state: LogState?, anchor: TreeHead?) {
    (self.first, running, self.anchor) = (first, state, anchor)
    noticeAnchor()
  }

  /// The sequence of the next record.
  package var size: UInt64 { running?.tree.size ?? first }
  /// The first sequence that no checkpoint covers.
  package var coveredSize: UInt64 { covered?.tree.size ?? first }

  mutating func takeRecord(_ line: Span<UInt8>) throws(Misfit) {
    let chainFields: ChainFields
    do throws(CanonicalJSONError) { chainFields = try ChainFields(parsing: line) } catch { throw Misfit(.form) }
    guard (size == first) == (chainFields.role == .segment) else { throw Misfit(.segment) }
    if running == nil {
      running = try LogState(beforeSegment: line, chainFields: chainFields, first: first)
      noticeAnchor()
    }
    try running?.append(line, chainFields: chainFields)
    noticeAnchor()
  }

  mutating func takeCheckpoint(_ head: TreeHead) throws(Misfit) {
    guard let running, head.size == size, size > coveredSize else { throw Misfit(.size) }
    guard head.root == running.tree.root else { throw Misfit(.root) }
    guard !missesAnchor else { throw Misfit(.fork) }
    covered = running
  }

  private mutating func noticeAnchor() {
    guard let anchor, let running, running.tree.size == anchor.size else { return }
    missesAnchor = running.tree.root != anchor.root
  }
}
