package import CryptoBackend

/// The hashes of RFC 6962 §2.1, whose first byte separates leaves from nodes.
package enum TreeHash {
  package static func leaf(_ data: Span<UInt8>) -> Digest256 {
    let prefix: [UInt8] = [0x00]
    return SHA256.hash(prefix.span, data)
  }

  package static func node(_ left: Digest256, _ right: Digest256) -> Digest256 {
    let prefix: [UInt8] = [0x01]
    return SHA256.hash(prefix.span, left.span, right.span)
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
