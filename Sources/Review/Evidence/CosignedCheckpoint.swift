package import Audit

/// A checkpoint with any number of signature lines, as witnesses return it; parsed but not yet
/// verified.
package struct CosignedCheckpoint: Equatable, Sendable {
  package let checkpoint: Checkpoint
  package private(set) var stamps: [NoteStamp]

  /// The size of the longest note that is read, in bytes, and its most signature lines.
  package static let byteLimit = 16 << 10
  static let stampLimit = 64

  package init(_ signed: SignedCheckpoint) {
    checkpoint = signed.checkpoint
    stamps = [signed.stamp]
  }

  /// Parses exactly one note: origin, size, root, empty line, signature lines, nothing else.
  ///
  /// - Throws: `NoteError.format`.
  package init(parsing note: Span<UInt8>) throws(NoteError) {
    guard note.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(note)
    checkpoint = try Checkpoint(reading: &lines)
    guard let separator = lines.next(), separator.isEmpty else { throw .format }
    stamps = try NoteStamp.all(in: note.extracting(droppingFirst: lines.offset))
    guard stamps.count <= Self.stampLimit else { throw .format }
  }

  /// The note, with every newline.
  package var note: [UInt8] { checkpoint.text + [0x0A] + stamps.flatMap(\.line) }

  /// The tree head, if the log signed it; lines of unknown keys are ignored.
  ///
  /// - Throws: `NoteError.signer` if no line is the log's, `.signature` if one is invalid.
  package func head(signedBy verifier: NoteVerifier) throws(NoteError) -> TreeHead {
    let lines = stamps.filter(verifier.key.goes)
    guard checkpoint.origin == verifier.name, !lines.isEmpty else { throw .signer }
    for line in lines where !verifier.key.verify(line.signature.span, over: checkpoint.text.span) {
      throw .signature
    }
    return checkpoint.head
  }

  /// Adds a line, which replaces an earlier one of the same key.
  package mutating func add(_ stamp: NoteStamp) {
    stamps.removeAll { $0.name == stamp.name && $0.keyID == stamp.keyID }
    stamps.append(stamp)
  }
}
