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

  package init(size: UInt64, root: Digest256) { (self.size, self.root) = (size, root) }
}
