package import CryptoBackend

/// The right edge of a tree: all that is needed to append to it and to know its root.
///
/// There is one hash for each bit set in `size`, that of the largest complete subtree first.
package struct Frontier: Equatable, Sendable {
  package private(set) var size: UInt64 = 0
  package private(set) var hashes: [Digest256] = []

  package init() {}

  /// The edge of a tree of `size` leaves, or nil where the number of hashes is not that of its bits.
  package init?(size: UInt64, hashes: [Digest256]) {
    guard hashes.count == size.nonzeroBitCount else { return nil }
    (self.size, self.hashes) = (size, hashes)
  }

  package mutating func append(_ leaf: Digest256) {
    var hash = leaf
    // Each trailing one bit is a complete subtree of the new leaf's size so far.
    for _ in 0..<(~size).trailingZeroBitCount { hash = TreeHash.node(hashes.removeLast(), hash) }
    hashes.append(hash)
    size += 1
  }

  package var root: Digest256 {
    guard var root = hashes.last else { return TreeHash.empty }
    for left in hashes.dropLast().reversed() { root = TreeHash.node(left, root) }
    return root
  }

  package var head: TreeHead { TreeHead(size: size, root: root) }
}
