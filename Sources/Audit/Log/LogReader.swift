package import Encoding
internal import CryptoBackend
internal import Storage

/// Reads a log's records back, in order, while another thread or process may be writing it.
///
/// The chain is checked from the first segment touched: read to the end of a log that was opened here, every record is
/// tied to the checkpoint that opening checked. For a log from elsewhere use `LogVerifier`.
package struct LogReader: Sendable {
  private let directory: LogDirectory

  package init(_ directory: LogDirectory) { self.directory = directory }

  /// Visits every record from that sequence on with its line, until `visit` gives false.
  ///
  /// A batch that is being written, or was torn, ends the reading without an error.
  package func forEachRecord(
    from sequence: UInt64 = 0, _ visit: (Record, Span<UInt8>) -> Bool
  ) throws(AuditError) {
    let segments = try onDisk { () throws(DiskError) in try directory.segments() }
    let start = segments.lastIndex { $0.first <= sequence } ?? segments.startIndex
    try read(segments[start...]) { record, line in record.sequence < sequence || visit(record, line) }
  }

  /// Visits every record from that time on: every record behind the first that is not older.
  package func forEachRecord(since time: Timestamp, _ visit: (Record, Span<UInt8>) -> Bool) throws(AuditError) {
    let segments = try onDisk { () throws(DiskError) in try directory.segments() }
    var start = segments.endIndex
    while start > segments.startIndex {
      start -= 1
      guard let began = try beginning(of: segments[start]), began < time else { continue }
      break
    }
    var isReached = false
    try read(segments[start...]) { record, line in
      isReached = isReached || record.time >= time
      return !isReached || visit(record, line)
    }
  }

  /// The sequence behind the last record.
  package func end() throws(AuditError) -> UInt64 {
    guard let last = try onDisk({ () throws(DiskError) in try directory.segments().last }) else { return 0 }
    var end = last.first
    try read([last]) { record, _ in
      end = record.sequence + 1
      return true
    }
    return end
  }

  /// The time of a segment's first record.
  private func beginning(of segment: SegmentName) throws(AuditError) -> Timestamp? {
    var time: Timestamp?
    try read([segment]) { record, _ in
      time = record.time
      return false
    }
    return time
  }

  private func read(_ segments: ArraySlice<SegmentName>, _ visit: (Record, Span<UInt8>) -> Bool) throws(AuditError) {
    var previous: Digest256?
    for name in segments {
      var reader = SegmentReader(try onDisk { () throws(DiskError) in try directory.open(name, .read) })
      while true {
        let item: SegmentReader.Item
        do throws(DiskError) { item = try reader.next() } catch { throw .disk(error) }
        guard case .record(let place) = item else {
          if case .note = item { continue }
          break
        }
        let line = reader.bytes.extracting(place)
        let record: Record
        do throws(CanonicalJSONError) { record = try Record(parsing: line) } catch { throw .tampered(at: name.first, .form) }
        if let previous, record.previous != previous { throw .tampered(at: record.sequence, .chain) }
        previous = TreeHash.leaf(line)
        guard visit(record, line) else { return }
      }
    }
  }
}
