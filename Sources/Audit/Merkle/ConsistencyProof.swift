package import CryptoBackend

/// That a tree begins with the leaves of a smaller one (RFC 9162 §2.1.4).
package struct ConsistencyProof: Equatable, Sendable {
  package let path: [Digest256]

  package init(path: [Digest256]) { self.path = path }

  /// Makes the proof for the first `size` of all the tree's leaf hashes; nil for none and for more than there are.
  package init?(from size: Int, in leaves: ArraySlice<Digest256>) {
    guard (1...max(1, leaves.count)).contains(size), !leaves.isEmpty else { return nil }
    path = Subtree.consistency(size, in: leaves, isWhole: true)
  }

  /// Whether `new` begins with `old`. An empty `old` proves nothing and is refused.
  package func proves(_ old: TreeHead, isPrefixOf new: TreeHead) -> Bool {
    guard old.size > 0, old.size <= new.size else { return false }
    guard old.size < new.size else { return path.isEmpty && old.root == new.root }
    var rest = path[...]
    // A complete old tree is a node of the new one, so its root stands for itself.
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
