package import CryptoBackend

/// A tree's size, in leaves, and its root.
package struct TreeHead: Hashable, Sendable {
  package let size: UInt64
  package let root: Digest256

  package init(size: UInt64, root: Digest256) { (self.size, self.root) = (size, root) }
}
