/// The recursive definitions of RFC 6962 §2.1: the parts of the tree whose roots make up a proof.
enum Subtree {
  /// §2.1.1: the siblings from the leaf up.
  static func path(to index: UInt64, in tree: Range<UInt64>) -> [Range<UInt64>] {
    guard tree.count > 1 else { return [] }
    let (left, right) = split(tree)
    return left.contains(index) ? path(to: index, in: left) + [right] : path(to: index, in: right) + [left]
  }

  /// §2.1.2.
  /// - Parameter isWhole: whether the old tree is a complete subtree known by its own root.
  static func consistency(_ size: UInt64, in tree: Range<UInt64>, isWhole: Bool) -> [Range<UInt64>] {
    if size == tree.upperBound { return isWhole ? [] : [tree] }
    let (left, right) = split(tree)
    return size <= left.upperBound
      ? consistency(size, in: left, isWhole: isWhole) + [right] : consistency(size, in: right, isWhole: false) + [left]
  }

  /// The complete subtrees that make up a part, the largest first; a proof's parts begin where one of them can.
  static func complete(in part: Range<UInt64>) -> [Range<UInt64>] {
    var (subtrees, start): ([Range<UInt64>], UInt64) = ([], part.lowerBound)
    while start < part.upperBound {
      let width = UInt64(1) << UInt64(63 - (part.upperBound - start).leadingZeroBitCount)
      subtrees.append(start..<start + width)
      start += width
    }
    return subtrees
  }

  /// Splits two or more leaves at the largest power of two below their count.
  private static func split(_ tree: Range<UInt64>) -> (Range<UInt64>, Range<UInt64>) {
    let width = UInt64(1) << UInt64(63 - UInt64(tree.count - 1).leadingZeroBitCount)
    let middle = tree.lowerBound + width
    return (tree.lowerBound..<middle, middle..<tree.upperBound)
  }
}
