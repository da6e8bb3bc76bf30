package import Audit
package import CryptoBackend

/// Proves that a tree begins with the leaves of a smaller one (RFC 9162 §2.1.4).
package struct ConsistencyProof: Equatable, Sendable {
  package let path: [Digest256]

  package init(path: [Digest256]) { self.path = path }

  /// Makes the proof for the first `old` of `size` leaves in one pass: `feed` passes the leaf hashes in order, as far as
  /// they are known.
  ///
  /// Nil if `old` is zero or more than `size`, or if too little was known.
  package init?<E: Error>(from old: UInt64, to size: UInt64, _ feed: (inout SubtreeRoots) throws(E) -> Void) throws(E) {
    guard old > 0, old <= size else { return nil }
    var leaves = SubtreeRoots(Subtree.consistency(old, in: 0..<size, isWhole: true))
    try feed(&leaves)
    guard let path = leaves.all() else { return nil }
    self.path = path
  }

  /// Whether `new` begins with `old`. An empty `old` proves nothing and is refused.
  package func proves(_ old: TreeHead, isPrefixOf new: TreeHead) -> Bool {
    guard old.size > 0, old.size <= new.size else { return false }
    guard old.size < new.size else { return path.isEmpty && old.root == new.root }
    var rest = path[...]
    // A complete old tree is a node of the new one, so the proof leaves out its root.
    if old.size.nonzeroBitCount == 1 { rest = [old.root] + rest }
    guard let first = rest.popFirst() else { return false }

    var (node, last) = (old.size - 1, new.size - 1)
    while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
    var (oldHash, newHash) = (first, first)
    for sibling in rest {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        oldHash = TreeHash.node(sibling, oldHash)
        newHash = TreeHash.node(sibling, newHash)
        while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        newHash = TreeHash.node(newHash, sibling)
      }
      (node, last) = (node >> 1, last >> 1)
    }
    return last == 0 && oldHash == old.root && newHash == new.root
  }
}
