internal import CryptoBackend

/// The recursive definitions of RFC 6962 §2.1, over leaf hashes.
enum Subtree {
  static func root(_ leaves: ArraySlice<Digest256>) -> Digest256 {
    guard let first = leaves.first else { return TreeHash.empty }
    guard leaves.count > 1 else { return first }
    let (left, right) = split(leaves)
    return TreeHash.node(root(left), root(right))
  }

  static func path(to index: Int, in leaves: ArraySlice<Digest256>) -> [Digest256] {
    guard leaves.count > 1 else { return [] }
    let (left, right) = split(leaves)
    return index < left.count
      ? path(to: index, in: left) + [root(right)]
      : path(to: index - left.count, in: right) + [root(left)]
  }

  /// - Parameter isWhole: whether the old tree is a complete subtree known by its own root.
  static func consistency(_ size: Int, in leaves: ArraySlice<Digest256>, isWhole: Bool) -> [Digest256] {
    if size == leaves.count { return isWhole ? [] : [root(leaves)] }
    let (left, right) = split(leaves)
    return size <= left.count
      ? consistency(size, in: left, isWhole: isWhole) + [root(right)]
      : consistency(size - left.count, in: right, isWhole: false) + [root(left)]
  }

  /// At the largest power of two below the count, of two leaves or more.
  private static func split(_ leaves: ArraySlice<Digest256>) -> (ArraySlice<Digest256>, ArraySlice<Digest256>) {
    var width = 1
    while width * 2 < leaves.count { width *= 2 }
    return (leaves.prefix(width), leaves.dropFirst(width))
  }
}
