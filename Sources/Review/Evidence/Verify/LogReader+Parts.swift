package import Audit
import Crypto
package import Format

extension LogReader {
  /// Visits the raw line of every record from `sequence` on, until `visit` returns false.
  ///
  /// For searching a log that was verified: it only looks for line ends, and parses, hashes and
  /// checks nothing. A record's sequence is counted.
  package func forEachLine(
    from sequence: UInt64 = 0, _ visit: (_ sequence: UInt64, Span<UInt8>) -> Bool
  ) throws(AuditError) {
    let segments = try onDisk(directory.segments())
    let start = segments.lastIndex { $0.first <= sequence } ?? segments.startIndex
    for name in segments[start...] {
      var reader = SegmentReader(try directory.read(name))
      var next = name.first
      while let place = try reader.nextRecord() {
        defer { next += 1 }
        guard next < sequence || visit(next, reader.bytes.extracting(place)) else { return }
      }
    }
  }

  /// A segment's file name, and a time that no record before it is later than.
  package struct SegmentStart: Equatable, Sendable {
    package let fileName: String
    package let latestBefore: Timestamp
  }

  /// Every segment that holds a record, as seen at `now`, the oldest first.
  package func segmentStarts(at now: Timestamp) throws(AuditError) -> [SegmentStart] {
    var starts: [SegmentStart] = []
    for name in try onDisk(directory.segments()).reversed() {
      guard let latest = try beginning(of: name)?.latestBefore(at: now) else { continue }
      // What is before a segment is before each newer one, too, which may know better.
      starts.append(
        SegmentStart(
          fileName: name.text, latestBefore: min(latest, starts.last?.latestBefore ?? latest)))
    }
    return starts.reversed()
  }

  /// The frontier of the tree before the oldest record that is left; its size is 0 if none was
  /// removed.
  ///
  /// It is the claim of that segment's first record; a root computed from it proves the claim.
  package func edge() throws(AuditError) -> Frontier {
    guard let oldest = try onDisk(directory.segments().first) else {
      return Frontier()
    }
    var reader = SegmentReader(try directory.read(oldest))
    guard let place = try reader.nextRecord() else { return Frontier() }
    let line = reader.bytes.extracting(place)
    do throws(CanonicalJSONError) {
      let chainFields = try ChainFields(parsing: line)
      if let state = try? LogState(
        beforeSegment: line, chainFields: chainFields, first: oldest.first)
      {
        return state.tree
      }
    } catch {}
    throw .tampered(at: oldest.first, .segment)
  }

  /// The last complete checkpoint, unverified.
  package func newestCheckpoint() throws(AuditError) -> SignedCheckpoint? {
    try checkpoint(upTo: .max)
  }
}
