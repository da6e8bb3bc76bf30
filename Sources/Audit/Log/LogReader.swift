import Crypto
package import Format
import Host

/// Reads a log's records back, in order, while another thread or process may be writing.
///
/// It checks the hash chain from the first record that it reads. If it reads to the end of a log
/// that this process opened, every record is thus tied to the checkpoint that was checked on
/// opening. For a log from elsewhere use `LogVerifier`.
package struct LogReader: Sendable {
  package let directory: LogDirectory

  package init(_ directory: LogDirectory) { self.directory = directory }

  /// Which of the requested records could be read.
  package enum Extent: Hashable, Sendable {
    case all
    /// The records before this one are missing: removed, or compressed while the reader has no
    /// `ArchiveDisk`. None is later than `time`.
    case from(sequence: UInt64, time: Timestamp)

    /// The extent of the two that misses more records.
    package func narrower(_ other: Extent) -> Extent {
      switch (self, other) {
      case (_, .all): self
      case (.all, .from): other
      case (.from(let mine, _), .from(let theirs, _)): mine < theirs ? other : self
      }
    }
  }

  /// Visits every record from `sequence` on, with its line, until `visit` returns false.
  ///
  /// Reading ends without an error at a batch that is being written or was torn.
  @discardableResult package func forEachRecord(
    from sequence: UInt64 = 0, _ visit: (Record, Span<UInt8>) -> Bool
  ) throws(AuditError) -> Extent {
    let segments = try onDisk(directory.segments())
    let start = segments.lastIndex { $0.first <= sequence }
    return try read(
      segments[(start ?? segments.startIndex)...], from: sequence, isBehindGap: start == nil, visit)
  }

  /// Visits the first record that is not older than `time` and every one after it.
  @discardableResult package func forEachRecord(
    since time: Timestamp, _ visit: (Record, Span<UInt8>) -> Bool
  ) throws(AuditError) -> Extent {
    let segments = try onDisk(directory.segments())
    var start = segments.endIndex - 1
    while start >= segments.startIndex,
      try beginning(of: segments[start])?.latestBefore(at: time) ?? time >= time
    { start -= 1 }
    let isMissing = start < segments.startIndex && segments.first.map { $0.first > 0 } ?? false
    var isReached = false
    return try read(segments[max(segments.startIndex, start)...], isBehindGap: isMissing, at: time)
    { record, line in
      isReached = isReached || record.time >= time
      return !isReached || visit(record, line)
    }
  }

  /// Whether the log has no segment, compressed or not.
  package var isAbsent: Bool {
    get throws(AuditError) { try onDisk(directory.oldest()) == nil }
  }

  /// The last checkpoint that covers at most `size` records, unverified.
  package func checkpoint(upTo size: UInt64) throws(AuditError) -> SignedCheckpoint? {
    try checkpoints(around: size).newest
  }

  /// The last checkpoint that covers at most `size` records, and whether a segment has both a
  /// record before `size` and a checkpoint behind it.
  private func checkpoints(around size: UInt64) throws(AuditError) -> (
    newest: SignedCheckpoint?, isPassed: Bool
  ) {
    var isPassed = false
    for name in try onDisk(directory.segments()).reversed()
    where name.first < size {
      var reader = SegmentReader(try directory.read(name))
      var newest: SignedCheckpoint?
      while let note = try reader.nextNote(),
        let parsed = try? SignedCheckpoint(parsing: reader.bytes.extracting(note))
      {
        guard parsed.checkpoint.head.size <= size else {
          isPassed = true
          break
        }
        newest = parsed
      }
      if let newest { return (newest, isPassed) }
    }
    return (nil, isPassed)
  }

  /// Whether the log has a checkpoint with exactly this head; its signature is not verified.
  package func has(_ head: TreeHead) throws(AuditError) -> Bool {
    try checkpoint(upTo: head.size)?.checkpoint.head == head
  }

  /// Whether a head cannot be this log's, though it has the records: no checkpoint is signed for
  /// it.
  package func contradicts(_ head: TreeHead) throws(AuditError) -> Bool {
    let (newest, isPassed) = try checkpoints(around: head.size)
    guard isPassed || newest?.checkpoint.head.size == head.size else { return false }
    return newest?.checkpoint.head != head
  }

  /// The time of the newest segment's first record.
  func newestBeginning() throws(AuditError) -> Timestamp? {
    guard let newest = try onDisk(directory.segments().last) else {
      return nil
    }
    return try beginning(of: newest)?.time
  }

  /// A segment's first record; nil if it has none yet.
  package func beginning(of segment: SegmentName) throws(AuditError) -> Record? {
    var reader = SegmentReader(
      try directory.read(segment), bufferSize: SegmentReader.smallestBuffer)
    guard let place = try reader.nextRecord() else { return nil }
    do throws(CanonicalJSONError) {
      return try Record(parsing: reader.bytes.extracting(place))
    } catch {
      throw .tampered(at: segment.first, .form)
    }
  }

  /// - Parameters:
  ///   - sequence: the first record to visit; earlier ones of its segment are skipped without
  ///     parsing.
  ///   - isBehindGap: whether requested records are missing before the first segment.
  ///   - now: when it is, or at most a week ago.
  private func read(
    _ segments: ArraySlice<SegmentName>, from sequence: UInt64 = 0, isBehindGap: Bool = false,
    at now: Timestamp? = nil, _ visit: (Record, Span<UInt8>) -> Bool
  ) throws(AuditError) -> Extent {
    var extent = Extent.all
    var isBehindGap = isBehindGap
    var previous: Digest256?
    var next = segments.first?.first ?? 0
    for name in segments {
      if name.first > next { (isBehindGap, previous, next) = (true, nil, name.first) }
      var reader = SegmentReader(try directory.read(name))
      while let place = try reader.nextRecord() {
        defer { next += 1 }
        guard next >= sequence else { continue }
        let line = reader.bytes.extracting(place)
        let record: Record
        do throws(CanonicalJSONError) { record = try Record(parsing: line) } catch {
          throw .tampered(at: name.first, .form)
        }
        guard record.sequence == next else { throw .tampered(at: next, .sequence) }
        if let previous, record.previous != previous { throw .tampered(at: next, .chain) }
        previous = TreeHash.leaf(line)
        if isBehindGap {
          (extent, isBehindGap) = (
            .from(sequence: next, time: record.latestBefore(at: now ?? record.time)), false
          )
        }
        guard visit(record, line) else { return extent }
      }
    }
    return extent
  }
}

extension Record {
  /// Of a segment's first record: no record before it is later than this, as seen at `now`
  /// [AUD-SEG-4].
  ///
  /// What is years later than `now` was said by a wrong clock, which may hide that the right one
  /// was set back by up to a day.
  package func latestBefore(at now: Timestamp) -> Timestamp {
    let latest = eventText("newest").flatMap { Timestamp($0) } ?? time
    return latest > now.adding(seconds: Self.wrongLead) ? time.adding(seconds: 86_400) : latest
  }

  /// In seconds: what is said to be this far ahead was said by a wrong clock.
  static let wrongLead: Int64 = 366 * 86_400
}

extension SegmentReader {
  /// The next checkpoint, skipping records; nil at the end of the last batch.
  fileprivate mutating func nextNote() throws(AuditError) -> Range<Int>? {
    while true {
      let item = try onDisk(next())
      switch item {
      case .note(let place): return place
      case .record: continue
      case .end, .torn: return nil
      }
    }
  }

  /// The next record, skipping checkpoints; nil at the end of the last batch, finished or not.
  package mutating func nextRecord() throws(AuditError) -> Range<Int>? {
    while true {
      let item = try onDisk(next())
      switch item {
      case .record(let place): return place
      case .note: continue
      case .end, .torn: return nil
      }
    }
  }
}
