internal import Audit
package import Crypto

/// Proves that a leaf is in a tree (RFC 9162 §2.1.3).
package struct InclusionProof: Equatable, Sendable {
  package let index: UInt64
  package let size: UInt64
  /// The siblings from the leaf up.
  package let path: [Digest256]

  package init(index: UInt64, size: UInt64, path: [Digest256]) {
    (self.index, self.size, self.path) = (index, size, path)
  }

  /// Makes the proof in one pass: `feed` passes the tree's leaf hashes in order, as far as they are known.
  ///
  /// Nil if there is no such leaf, or if too little was known.
  package init?<E: Error>(of index: UInt64, size: UInt64, _ feed: (inout SubtreeRoots) throws(E) -> Void) throws(E) {
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
    var (node, last, hash) = (index, size - 1, leaf)
    for sibling in path {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        hash = TreeHash.node(sibling, hash)
        // A node without a right sibling moves up until it has a left sibling.
        while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        hash = TreeHash.node(hash, sibling)
      }
      (node, last) = (node >> 1, last >> 1)
    }
    return last == 0 && hash == root
  }
}
