package import Audit
package import Crypto

/// Proves that the log of one checkpoint begins with the records of an older one: the body of a
/// C2SP tlog-witness `add-checkpoint`.
package struct GrowthProof: Equatable, Sendable {
  package let oldSize: UInt64
  package let consistency: ConsistencyProof
  package let note: CosignedCheckpoint

  package init(from oldSize: UInt64, _ consistency: ConsistencyProof, to note: CosignedCheckpoint) {
    self.oldSize = oldSize
    self.consistency = consistency
    self.note = note
  }

  package static let byteLimit = CosignedCheckpoint.byteLimit + 4096

  /// - Throws: `NoteError.format`.
  package init(parsing text: Span<UInt8>) throws(NoteError) {
    guard text.count <= Self.byteLimit else { throw .format }
    var lines = NoteLines(text)
    guard let first = lines.next().flatMap({ lines.bytes($0).value(of: "old ") }),
      let size = Checkpoint.size(first.span)
    else { throw .format }
    oldSize = size
    consistency = ConsistencyProof(path: try ProofText.readHashes(&lines))
    note = try CosignedCheckpoint(parsing: text.extracting(droppingFirst: lines.offset))
  }

  package var text: [UInt8] {
    Array("old \(oldSize)\n".utf8) + ProofText.hashes(consistency.path) + [0x0A] + note.note
  }

  /// Whether the checkpoint, which the log must have signed, begins with the older tree.
  ///
  /// - Throws: `NoteError` if the log did not sign the checkpoint.
  package func isTrue(_ verifier: NoteVerifier, from old: TreeHead) throws(NoteError) -> Bool {
    let head = try note.head(signedBy: verifier)
    return old.size == oldSize && consistency.proves(old, isPrefixOf: head)
  }
}

/// Proves that a tree begins with the leaves of a smaller one (RFC 9162 §2.1.4).
package struct ConsistencyProof: Equatable, Sendable {
  package let path: [Digest256]

  package init(path: [Digest256]) { self.path = path }

  /// Makes the proof for the first `old` of `size` leaves in one pass: `feed` passes the leaf
  /// hashes in order, as far as they are known.
  ///
  /// Nil if `old` is zero or more than `size`, or if too little was known.
  package init?<E: Error>(
    from old: UInt64, to size: UInt64, _ feed: (inout SubtreeRoots) throws(E) -> Void
  ) throws(E) {
    guard let (_, proof) = try Self.all(from: [old], to: size, feed).first else { return nil }
    self = proof
  }

  /// Makes the proofs of several sizes in one pass, each with the head of that many leaves; those
  /// that cannot be made are missing.
  package static func all<E: Error>(
    from sizes: [UInt64], to size: UInt64, _ feed: (inout SubtreeRoots) throws(E) -> Void
  ) throws(E) -> [(old: TreeHead, proof: ConsistencyProof)] {
    let parts = sizes.filter { (1...max(1, size)).contains($0) && size > 0 }.map {
      (old: $0, Subtree.consistency($0, in: 0..<size, isWhole: true))
    }
    var roots = SubtreeRoots(parts.flatMap { [0..<$0.old] + $0.1 })
    try feed(&roots)
    return parts.compactMap { old, parts in
      guard let root = roots.of([0..<old])?.first, let path = roots.of(parts) else { return nil }
      return (TreeHead(size: old, root: root), ConsistencyProof(path: path))
    }
  }

  /// Whether `new` begins with `old`. An empty `old` proves nothing and is refused.
  package func proves(_ old: TreeHead, isPrefixOf new: TreeHead) -> Bool {
    guard old.size > 0, old.size <= new.size else { return false }
    guard old.size < new.size else { return path.isEmpty && old.root == new.root }
    var rest = path[...]
    // A complete old tree is a node of the new one, so the proof leaves out its root.
    if old.size.nonzeroBitCount == 1 { rest = [old.root] + rest }
    guard let first = rest.popFirst() else { return false }

    var node = old.size - 1
    var last = new.size - 1
    while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
    var oldHash = first
    var newHash = first
    for sibling in rest {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        oldHash = TreeHash.node(sibling, oldHash)
        newHash = TreeHash.node(sibling, newHash)
        while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        newHash = TreeHash.node(newHash, sibling)
      }
      node = node >> 1
      last = last >> 1
    }
    return last == 0 && oldHash == old.root && newHash == new.root
  }
}
