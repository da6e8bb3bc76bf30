package import Audit
internal import Crypto
internal import Format

/// One record with the proof that it is in the log: a C2SP tlog-proof, whose extra data is the record.
package struct RecordProof: Equatable, Sendable {
  /// The record's line.
  package let record: [UInt8]
  package let inclusion: InclusionProof
  package let note: CosignedCheckpoint

  package init(record: [UInt8], _ inclusion: InclusionProof, under note: CosignedCheckpoint) {
    (self.record, self.inclusion, self.note) = (record, inclusion, note)
  }

  package static let byteLimit = 128 << 10

  /// - Throws: `NoteError.format`.
  package init(parsing text: Span<UInt8>) throws(NoteError) {
    guard text.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(text)
    guard let header = lines.next(), lines.bytes(header).array == Self.header,
      let extra = lines.next().flatMap({ lines.bytes($0).value(of: "extra ") }), let record = Base64.decode(extra.span),
      let indexLine = lines.next().flatMap({ lines.bytes($0).value(of: "index ") }), let index = Checkpoint.size(indexLine.span)
    else { throw .format }
    let path = try ProofText.readHashes(&lines)
    self.record = record
    note = try CosignedCheckpoint(parsing: text.extracting(droppingFirst: lines.offset))
    inclusion = InclusionProof(index: index, size: note.checkpoint.head.size, path: path)
  }

  package var text: [UInt8] {
    Self.header + Array("\nextra \(Base64.encode(record))\nindex \(inclusion.index)\n".utf8) + ProofText.hashes(inclusion.path) + [0x0A] + note.note
  }

  /// Whether the record is in the tree of the checkpoint, which the log must have signed, at the record's own index.
  ///
  /// - Throws: `NoteError` if the log did not sign the checkpoint.
  package func isTrue(_ verifier: NoteVerifier) throws(NoteError) -> Bool {
    let head = try note.head(signedBy: verifier)
    guard let parsed = try? Record(parsing: record.span), parsed.sequence == inclusion.index else { return false }
    return inclusion.proves(TreeHash.leaf(record.span), in: head.root)
  }

  private static let header = Array("c2sp.org/tlog-proof@v1".utf8)
}
