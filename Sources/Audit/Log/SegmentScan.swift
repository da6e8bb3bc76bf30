internal import CryptoBackend
internal import Encoding
internal import Storage

/// One pass over one segment: every record in its place, every checkpoint true.
///
/// Opening a log and verifying it are this same pass; they differ in which signatures they check.
struct SegmentScan: ~Copyable {
  private var reader: SegmentReader
  private(set) var progress: Progress
  private let verifier: NoteVerifier
  private let signatures: SignatureScope
  /// The last true checkpoint.
  private(set) var lastNote: SignedCheckpoint?
  /// Where the last true checkpoint ends in the file.
  private(set) var coveredEnd = 0
  /// Where the last record begins, and the last one that such a checkpoint covers.
  private var (recordStart, coveredRecordStart) = (0, 0)
  private(set) var checkpointCount = 0
  /// What `run` found behind that.
  private(set) var ending = Ending.clean

  enum Ending: Equatable {
    /// Nothing but zero bytes after the last checkpoint.
    case clean
    /// What follows the last checkpoint was never finished, and never acknowledged.
    case torn
  }

  init(
    _ file: consuming File, _ name: SegmentName, after state: LogState?, verifier: NoteVerifier, signatures: SignatureScope, anchor: TreeHead?
  ) {
    reader = SegmentReader(file)
    progress = Progress(first: name.first, after: state, anchor: anchor)
    (self.verifier, self.signatures) = (verifier, signatures)
  }

  mutating func run() throws(AuditError) {
    ending = try readToEnd()
    if signatures == .last, let lastNote, (try? lastNote.head(signedBy: verifier)) == nil { throw inDoubt(.signature) }
  }

  /// Bytes after the last checkpoint, without zeros at their end.
  func uncovered() throws(AuditError) -> [UInt8] {
    do throws(DiskError) { return try reader.remainder(from: coveredEnd) } catch { throw .disk(error) }
  }

  /// The time of the last record that a checkpoint covers; nil where there is none.
  func newestTime() throws(AuditError) -> Timestamp? {
    guard coveredEnd > 0 else { return nil }
    let bytes = try onDisk { () throws(DiskError) in try reader.remainder(from: coveredRecordStart) }
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    do throws(CanonicalJSONError) { return try Record(parsing: bytes.span.extracting(first: end)).time } catch { throw inDoubt(.form) }
  }

  /// Bytes after the last checkpoint, zeros and all.
  func paddedRemainder() throws(AuditError) -> Int {
    do throws(DiskError) { return try reader.fileSize - coveredEnd } catch { throw .disk(error) }
  }

  private mutating func readToEnd() throws(AuditError) -> Ending {
    while true {
      let start = reader.offset
      switch try nextItem() {
      case .record(let place):
        recordStart = start
        do throws(Misfit) { try Self.take(place, from: reader, into: &progress) } catch { return try broken(error.what) }
      case .note(let place):
        guard let note = try? SignedCheckpoint(parsing: reader.bytes.extracting(place)) else { return try broken(.form) }
        try take(note)
      case .end: return progress.size == progress.coveredSize ? .clean : .torn
      case .torn: return try broken(.form)
      }
    }
  }

  private mutating func nextItem() throws(AuditError) -> SegmentReader.Item {
    do throws(DiskError) { return try reader.next() } catch { throw .disk(error) }
  }

  private static func take(_ place: Range<Int>, from reader: borrowing SegmentReader, into progress: inout Progress) throws(Misfit) {
    try progress.takeRecord(reader.bytes.extracting(place))
  }

  /// A whole note that is not true was not left by a crash.
  private mutating func take(_ note: SignedCheckpoint) throws(AuditError) {
    guard (try? note.checkSigner(verifier)) != nil else { throw inDoubt(.signer) }
    if signatures == .every, (try? note.head(signedBy: verifier)) == nil { throw inDoubt(.signature) }
    do throws(Misfit) { try progress.takeCheckpoint(note.checkpoint.head) } catch { throw inDoubt(error.what) }
    (coveredEnd, coveredRecordStart, lastNote) = (reader.offset, recordStart, note)
    checkpointCount += 1
  }

  /// Something does not fit: a crash tore it, or somebody changed it.
  ///
  /// A crash can only have torn the one batch that was being written. What it lost of that is still the zeros that were
  /// there before, so a signed checkpoint behind the place is a crash's only with zeros before it, and only one.
  private func broken(_ what: Tampering) throws(AuditError) -> Ending {
    let rest = try uncovered()
    let checkpoints = checkpoints(in: rest)
    guard checkpoints.signed == 0 || checkpoints.signed == 1 && checkpoints.begun == 1 && rest.contains(0) else { throw .tampered(at: progress.size, what) }
    return .torn
  }

  /// How many of the log's checkpoints begin anywhere in these bytes, and how many of those are signed.
  private func checkpoints(in bytes: [UInt8]) -> (begun: Int, signed: Int) {
    let origin = Array((verifier.name + "\n").utf8)
    guard bytes.count > origin.count else { return (0, 0) }
    var (begun, signed) = (0, 0)
    for start in 0...(bytes.count - origin.count) where bytes[start] == origin[0] && bytes[start...].starts(with: origin) {
      begun += 1
      var end = start
      for _ in 0..<5 { end = bytes[end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count }
      guard let note = try? SignedCheckpoint(parsing: bytes.span.extracting(start..<end)) else { continue }
      if (try? note.head(signedBy: verifier)) != nil { signed += 1 }
    }
    return (begun, signed)
  }

  /// Everything since the last true checkpoint may have been changed.
  private func inDoubt(_ what: Tampering) -> AuditError { .tampered(at: progress.coveredSize, what) }
}
