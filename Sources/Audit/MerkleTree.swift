package import Crypto

/// The hashes of RFC 6962 §2.1, whose first byte separates leaves from nodes.
package enum TreeHash {
  package static func leaf(_ data: Span<UInt8>) -> Digest256 {
    var hasher = SHA256.Hasher()
    hasher.update(byte: 0x00)
    hasher.update(data)
    return hasher.finish()
  }

  package static func node(_ left: Digest256, _ right: Digest256) -> Digest256 {
    var hasher = SHA256.Hasher()
    hasher.update(byte: 0x01)
    hasher.update(left.span)
    hasher.update(right.span)
    return hasher.finish()
  }

  /// The root of a tree without leaves.
  package static var empty: Digest256 { SHA256.hash([]) }
}

/// A tree's size, in leaves, and its root.
package struct TreeHead: Hashable, Sendable {
  package let size: UInt64
  package let root: Digest256

  package init(size: UInt64, root: Digest256) {
    self.size = size
    self.root = root
  }
}

/// The right edge of a Merkle tree: enough to append to it and to compute its root.
///
/// It has one hash for each bit set in `size`, the largest complete subtree first.
package struct Frontier: Equatable, Sendable {
  package private(set) var size: UInt64 = 0
  package private(set) var hashes: [Digest256] = []

  package init() {}

  /// The edge of a tree of `size` leaves; nil if there is not one hash for each bit of the size.
  package init?(size: UInt64, hashes: [Digest256]) {
    guard hashes.count == size.nonzeroBitCount else { return nil }
    self.size = size
    self.hashes = hashes
  }

  package mutating func append(_ leaf: Digest256) { append(leaf, height: 0) }

  /// Appends the root of a complete subtree of 2^`height` leaves; `size` must be a multiple of
  /// that.
  package mutating func append(_ subtree: Digest256, height: Int) {
    precondition(size.trailingZeroBitCount >= height)
    var hash = subtree
    // Each trailing one bit stands for a complete subtree as large as the new one has become.
    for _ in 0..<(~(size >> UInt64(height))).trailingZeroBitCount {
      hash = TreeHash.node(hashes.removeLast(), hash)
    }
    hashes.append(hash)
    size += 1 << UInt64(height)
  }

  package var root: Digest256 {
    guard var root = hashes.last else { return TreeHash.empty }
    for left in hashes.dropLast().reversed() { root = TreeHash.node(left, root) }
    return root
  }

  package var head: TreeHead { TreeHead(size: size, root: root) }
}
