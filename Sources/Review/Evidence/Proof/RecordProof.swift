package import Audit
package import Crypto
import Format

/// One record with the proof that it is in the log: a C2SP tlog-proof, whose extra data is the
/// record.
package struct RecordProof: Equatable, Sendable {
  /// The record's line.
  package let record: [UInt8]
  package let inclusion: InclusionProof
  package let note: CosignedCheckpoint

  package init(record: [UInt8], _ inclusion: InclusionProof, under note: CosignedCheckpoint) {
    self.record = record
    self.inclusion = inclusion
    self.note = note
  }

  package static let byteLimit = 128 << 10

  /// - Throws: `NoteError.format`.
  package init(parsing text: Span<UInt8>) throws(NoteError) {
    guard text.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(text)
    guard let header = lines.next(), lines.bytes(header).array == Self.header,
      let extra = lines.next().flatMap({ lines.bytes($0).value(of: "extra ") }),
      let record = Base64.decode(extra.span),
      let indexLine = lines.next().flatMap({ lines.bytes($0).value(of: "index ") }),
      let index = Checkpoint.size(indexLine.span)
    else { throw .format }
    let path = try ProofText.readHashes(&lines)
    self.record = record
    note = try CosignedCheckpoint(parsing: text.extracting(droppingFirst: lines.offset))
    inclusion = InclusionProof(index: index, size: note.checkpoint.head.size, path: path)
  }

  package var text: [UInt8] {
    Self.header + Array("\nextra \(Base64.encode(record))\nindex \(inclusion.index)\n".utf8)
      + ProofText.hashes(inclusion.path) + [0x0A] + note.note
  }

  /// Whether the record is in the tree of the checkpoint, which the log must have signed, at the
  /// record's own index.
  ///
  /// - Throws: `NoteError` if the log did not sign the checkpoint.
  package func isTrue(_ verifier: NoteVerifier) throws(NoteError) -> Bool {
    let head = try note.head(signedBy: verifier)
    guard let parsed = try? Record(parsing: record.span), parsed.sequence == inclusion.index else {
      return false
    }
    return inclusion.proves(TreeHash.leaf(record.span), in: head.root)
  }

  private static let header = Array("c2sp.org/tlog-proof@v1".utf8)
}

/// Proves that a leaf is in a tree (RFC 9162 §2.1.3).
package struct InclusionProof: Equatable, Sendable {
  package let index: UInt64
  package let size: UInt64
  /// The siblings from the leaf up.
  package let path: [Digest256]

  package init(index: UInt64, size: UInt64, path: [Digest256]) {
    self.index = index
    self.size = size
    self.path = path
  }

  /// Makes the proof in one pass: `feed` passes the tree's leaf hashes in order, as far as they are
  /// known.
  ///
  /// Nil if there is no such leaf, or if too little was known.
  package init?<E: Error>(
    of index: UInt64, size: UInt64, _ feed: (inout SubtreeRoots) throws(E) -> Void
  ) throws(E) {
    guard index < size else { return nil }
    let parts = Subtree.path(to: index, in: 0..<size)
    var roots = SubtreeRoots(parts)
    try feed(&roots)
    guard let path = roots.of(parts) else { return nil }
    self.init(index: index, size: size, path: path)
  }

  /// Whether the proof leads from this leaf to that root.
  package func proves(_ leaf: Digest256, in root: Digest256) -> Bool {
    guard index < size else { return false }
    var node = index
    var last = size - 1
    var hash = leaf
    for sibling in path {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        hash = TreeHash.node(sibling, hash)
        // A node without a right sibling moves up until it has a left sibling.
        while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        hash = TreeHash.node(hash, sibling)
      }
      node = node >> 1
      last = last >> 1
    }
    return last == 0 && hash == root
  }
}

/// The common parts of the proofs' text forms.
enum ProofText {
  /// One hash in base64 on each line.
  static func hashes(_ path: [Digest256]) -> [UInt8] {
    path.flatMap { Array((Base64.encode($0.span) + "\n").utf8) }
  }

  /// At most 63 hashes, and the empty line after them.
  static func readHashes(_ lines: inout NoteLines) throws(NoteError) -> [Digest256] {
    var path: [Digest256] = []
    while let line = lines.next() {
      if line.isEmpty { return path }
      guard path.count < 63, let bytes = Base64.decode(lines.bytes(line)),
        let hash = Digest256(bytes)
      else { throw .format }
      path.append(hash)
    }
    throw .format
  }
}

extension Span<UInt8> {
  /// What follows a line's keyword.
  func value(of keyword: String) -> [UInt8]? {
    let line = array
    return line.starts(with: keyword.utf8) ? Array(line.dropFirst(keyword.utf8.count)) : nil
  }
}
