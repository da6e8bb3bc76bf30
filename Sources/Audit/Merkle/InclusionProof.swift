package import CryptoBackend

/// That a leaf is in a tree (RFC 9162 §2.1.3).
package struct InclusionProof: Equatable, Sendable {
  package let index: UInt64
  package let size: UInt64
  /// The siblings from the leaf up.
  package let path: [Digest256]

  package init(index: UInt64, size: UInt64, path: [Digest256]) {
    (self.index, self.size, self.path) = (index, size, path)
  }

  /// Makes the proof from all the tree's leaf hashes, or gives nil where there is no such leaf.
  package init?(of index: Int, in leaves: ArraySlice<Digest256>) {
    guard leaves.indices.contains(leaves.startIndex + index) else { return nil }
    (self.index, size, path) = (UInt64(index), UInt64(leaves.count), Subtree.path(to: index, in: leaves))
  }

  /// Whether this leaf at this index of a tree of this size gives that root.
  package func proves(_ leaf: Digest256, in root: Digest256) -> Bool {
    guard index < size else { return false }
    var (node, last, hash) = (index, size - 1, leaf)
    for sibling in path {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        hash = TreeHash.node(sibling, hash)
        // A node without a right sibling moves up until it has one at its left.
        while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        hash = TreeHash.node(hash, sibling)
      }
      (node, last) = (node >> 1, last >> 1)
    }
    return last == 0 && hash == root
  }
}
