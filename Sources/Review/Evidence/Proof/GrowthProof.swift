package import Audit

/// Proves that the log of one checkpoint begins with the records of an older one: the body of a C2SP tlog-witness `add-checkpoint`.
package struct GrowthProof: Equatable, Sendable {
  package let oldSize: UInt64
  package let consistency: ConsistencyProof
  package let note: CosignedCheckpoint

  package init(from oldSize: UInt64, _ consistency: ConsistencyProof, to note: CosignedCheckpoint) {
    (self.oldSize, self.consistency, self.note) = (oldSize, consistency, note)
  }

  package static let byteLimit = CosignedCheckpoint.byteLimit + 4096

  /// - Throws: `NoteError.format`.
  package init(parsing text: Span<UInt8>) throws(NoteError) {
    guard text.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(text)
    guard let first = lines.next().flatMap({ lines.bytes($0).value(of: "old ") }), let size = Checkpoint.size(first.span) else { throw .format }
    oldSize = size
    consistency = ConsistencyProof(path: try ProofText.readHashes(&lines))
    note = try CosignedCheckpoint(parsing: text.extracting(droppingFirst: lines.offset))
  }

  package var text: [UInt8] { Array("old \(oldSize)\n".utf8) + ProofText.hashes(consistency.path) + [0x0A] + note.note }

  /// Whether the checkpoint, which the log must have signed, begins with the older tree.
  ///
  /// - Throws: `NoteError` if the log did not sign the checkpoint.
  package func isTrue(_ verifier: NoteVerifier, from old: TreeHead) throws(NoteError) -> Bool {
    let head = try note.head(signedBy: verifier)
    return old.size == oldSize && consistency.proves(old, isPrefixOf: head)
  }
}
