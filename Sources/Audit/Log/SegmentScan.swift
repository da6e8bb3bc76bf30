import Crypto
import Format
package import Host

/// One pass over one segment, which checks every record's place and every checkpoint.
///
/// Opening a log and verifying it use the same pass; they differ in which signatures they check.
package struct SegmentScan: ~Copyable {
  private var reader: SegmentReader
  package private(set) var progress: Progress
  private let verifier: NoteVerifier
  private let signatures: SignatureScope
  /// The last valid checkpoint.
  package private(set) var lastNote: SignedCheckpoint?
  /// The file offset behind the last valid checkpoint.
  package private(set) var coveredEnd = 0
  /// The offsets of the last record, and of the last record that a valid checkpoint covers.
  private var (recordStart, coveredRecordStart) = (0, 0)
  package private(set) var checkpointCount = 0
  /// What `run` found after the last valid checkpoint.
  package private(set) var ending = Ending.clean

  package enum Ending: Equatable {
    /// Nothing but zero bytes.
    case clean
    /// A batch that was never finished, and never acknowledged.
    case torn
  }

  package init(
    _ file: consuming File, _ name: SegmentName, after state: LogState?, verifier: NoteVerifier,
    signatures: SignatureScope, anchor: TreeHead?
  ) {
    reader = SegmentReader(file)
    progress = Progress(first: name.first, after: state, anchor: anchor)
    self.verifier = verifier
    self.signatures = signatures
  }

  package mutating func run() throws(AuditError) {
    ending = try readToEnd()
    if signatures == .last, let lastNote, (try? lastNote.head(signedBy: verifier)) == nil {
      throw inDoubt(.signature)
    }
  }

  /// The bytes after the last valid checkpoint, without zeros at the end.
  package func uncovered() throws(AuditError) -> [UInt8] {
    try onDisk(reader.remainder(from: coveredEnd))
  }

  /// The time of the last record that a checkpoint covers; nil if there is none.
  func newestTime() throws(AuditError) -> Timestamp? {
    guard coveredEnd > 0 else { return nil }
    let bytes = try onDisk(reader.remainder(from: coveredRecordStart))
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    do throws(CanonicalJSONError) {
      return try Record(parsing: bytes.span.extracting(first: end)).time
    } catch { throw inDoubt(.form) }
  }

  /// The number of bytes after the last valid checkpoint, zeros included.
  package func paddedRemainder() throws(AuditError) -> Int {
    try onDisk(reader.fileSize) - coveredEnd
  }

  private mutating func readToEnd() throws(AuditError) -> Ending {
    while true {
      let start = reader.offset
      switch try nextItem() {
      case .record(let place):
        recordStart = start
        do throws(Misfit) { try Self.take(place, from: reader, into: &progress) } catch {
          return try broken(error.what)
        }
      case .note(let place):
        guard let note = try? SignedCheckpoint(parsing: reader.bytes.extracting(place)) else {
          return try broken(.form)
        }
        try take(note)
      case .end: return progress.size == progress.coveredSize ? .clean : .torn
      case .torn: return try broken(.form)
      }
    }
  }

  private mutating func nextItem() throws(AuditError) -> SegmentReader.Item {
    try onDisk(reader.next())
  }

  private static func take(
    _ place: Range<Int>, from reader: borrowing SegmentReader, into progress: inout Progress
  ) throws(Misfit) {
    try progress.takeRecord(reader.bytes.extracting(place))
  }

  /// Refuses a complete note that is not valid, since no crash leaves one.
  private mutating func take(_ note: SignedCheckpoint) throws(AuditError) {
    guard (try? note.checkSigner(verifier)) != nil else { throw inDoubt(.signer) }
    if signatures == .every, (try? note.head(signedBy: verifier)) == nil {
      throw inDoubt(.signature)
    }
    do throws(Misfit) { try progress.takeCheckpoint(note.checkpoint.head) } catch {
      throw inDoubt(error.what)
    }
    coveredEnd = reader.offset
    coveredRecordStart = recordStart
    lastNote = note
    checkpointCount += 1
  }

  /// Decides whether a misfit is a crash's or somebody changed the log.
  ///
  /// A crash can only have torn the batch that was being written, and the parts it lost are still
  /// the zeros that were there before. So a signed checkpoint after the misfit is compatible with a
  /// crash only if it is the only one and there are zeros among the bytes.
  private func broken(_ what: Tampering) throws(AuditError) -> Ending {
    let rest = try uncovered()
    let checkpoints = checkpoints(in: rest)
    guard
      checkpoints.signed == 0
        || checkpoints.signed == 1 && checkpoints.begun == 1 && rest.contains(0)
    else { throw .tampered(at: progress.size, what) }
    return .torn
  }

  /// How many of this log's checkpoints begin anywhere in these bytes, and how many of them are
  /// validly signed.
  private func checkpoints(in bytes: [UInt8]) -> (begun: Int, signed: Int) {
    let origin = Array((verifier.name + "\n").utf8)
    guard bytes.count > origin.count else { return (0, 0) }
    var begun = 0
    var signed = 0
    for start in 0...(bytes.count - origin.count)
    where bytes[start] == origin[0] && bytes[start...].starts(with: origin) {
      begun += 1
      var end = start
      for _ in 0..<5 { end = bytes[end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count }
      guard let note = try? SignedCheckpoint(parsing: bytes.span.extracting(start..<end)) else {
        continue
      }
      if (try? note.head(signedBy: verifier)) != nil { signed += 1 }
    }
    return (begun, signed)
  }

  /// The error for a fault whose place is unknown: everything since the last valid checkpoint may
  /// have been changed.
  private func inDoubt(_ what: Tampering) -> AuditError {
    .tampered(at: progress.coveredSize, what)
  }
}

/// Which of a segment's signatures are verified; every checkpoint's name, key, size and root always
/// are.
///
/// The last checkpoint's root covers every record before it, and every earlier root is recomputed
/// from those records. So an earlier signature adds only that the records existed when it was made.
package enum SignatureScope: Sendable {
  case every
  case last
}

/// How far the scan of one segment has come, and how much of it a checkpoint covers.
package struct Progress {
  private let first: UInt64
  /// A tree head kept elsewhere.
  private let anchor: TreeHead?
  private var missesAnchor = false
  /// The state after the last record; nil at the start of a segment that is read without its
  /// predecessors.
  private var running: LogState?

  /// The state at the last valid checkpoint; nil if the segment has none.
  package private(set) var covered: LogState?

  init(first: UInt64, after state: LogState?, anchor: TreeHead?) {
    self.first = first
    running = state
    self.anchor = anchor
    noticeAnchor()
  }

  /// The sequence of the next record.
  package var size: UInt64 { running?.tree.size ?? first }
  /// The first sequence that no checkpoint covers.
  package var coveredSize: UInt64 { covered?.tree.size ?? first }

  mutating func takeRecord(_ line: Span<UInt8>) throws(Misfit) {
    let chainFields: ChainFields
    do throws(CanonicalJSONError) { chainFields = try ChainFields(parsing: line) } catch {
      throw Misfit(.form)
    }
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
