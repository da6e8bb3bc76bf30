package import Audit
package import Crypto

/// The roots of parts of a tree, computed in one pass over its leaves; memory does not grow with
/// the tree.
///
/// Parts may overlap, so one pass makes any number of proofs.
package struct SubtreeRoots {
  /// The complete subtrees that make up the parts wanted.
  private let wanted: Set<Range<UInt64>>
  private var roots: [Range<UInt64>: Digest256] = [:]
  /// The complete subtrees before the next leaf, the largest first.
  private var pending: [(leaves: Range<UInt64>, root: Digest256)] = []

  init(_ parts: some Sequence<Range<UInt64>>) { wanted = Set(parts.flatMap(Subtree.complete)) }

  /// The next leaf's hash.
  package mutating func take(_ leaf: Digest256) { take(leaf, height: 0) }

  /// Takes the leaves before a log's oldest record, of which only complete subtrees are known.
  package mutating func take(_ edge: Frontier) {
    for (hash, height) in zip(edge.hashes, edge.heights) { take(hash, height: height) }
  }

  /// The roots of parts in this order; nil if one is not among the leaves, or is only part of a
  /// subtree that was taken whole.
  func of(_ parts: [Range<UInt64>]) -> [Digest256]? {
    let found = parts.compactMap(root)
    return found.count == parts.count ? found : nil
  }

  private func root(of part: Range<UInt64>) -> Digest256? {
    var root: Digest256?
    for subtree in Subtree.complete(in: part).reversed() {
      guard let left = roots[subtree] else { return nil }
      root = root.map { TreeHash.node(left, $0) } ?? left
    }
    return root
  }

  private mutating func take(_ hash: Digest256, height: Int) {
    let start = pending.last?.leaves.upperBound ?? 0
    var leaves = start..<start + (1 << UInt64(height))
    var root = hash
    note(leaves, root)
    while let left = pending.last, left.leaves.count == leaves.count {
      leaves = left.leaves.lowerBound..<leaves.upperBound
      root = TreeHash.node(left.root, root)
      pending.removeLast()
      note(leaves, root)
    }
    pending.append((leaves, root))
  }

  private mutating func note(_ leaves: Range<UInt64>, _ root: Digest256) {
    if wanted.contains(leaves) { roots[leaves] = root }
  }
}

extension Frontier {
  /// The heights of the complete subtrees, the largest first.
  fileprivate var heights: [Int] { (0..<64).reversed().filter { size >> UInt64($0) & 1 == 1 } }
}

/// The recursive definitions of RFC 6962 §2.1: the parts of the tree whose roots make up a proof.
enum Subtree {
  /// §2.1.1: the siblings from the leaf up.
  static func path(to index: UInt64, in tree: Range<UInt64>) -> [Range<UInt64>] {
    guard tree.count > 1 else { return [] }
    let (left, right) = split(tree)
    return left.contains(index)
      ? path(to: index, in: left) + [right] : path(to: index, in: right) + [left]
  }

  /// §2.1.2.
  /// - Parameter isWhole: whether the old tree is a complete subtree known by its own root.
  static func consistency(_ size: UInt64, in tree: Range<UInt64>, isWhole: Bool) -> [Range<UInt64>]
  {
    if size == tree.upperBound { return isWhole ? [] : [tree] }
    let (left, right) = split(tree)
    return size <= left.upperBound
      ? consistency(size, in: left, isWhole: isWhole) + [right]
      : consistency(size, in: right, isWhole: false) + [left]
  }

  /// The complete subtrees that make up a part, the largest first; a proof's parts begin where one
  /// of them can.
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
