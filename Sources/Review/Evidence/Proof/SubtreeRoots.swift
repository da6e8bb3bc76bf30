package import Audit
package import Crypto

/// The roots of parts of a tree, computed in one pass over its leaves; memory does not grow with the tree.
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

  /// The roots of parts in this order; nil if one is not among the leaves, or is only part of a subtree that was taken whole.
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
    var (leaves, root) = (start..<start + (1 << UInt64(height)), hash)
    note(leaves, root)
    while let left = pending.last, left.leaves.count == leaves.count {
      (leaves, root) = (left.leaves.lowerBound..<leaves.upperBound, TreeHash.node(left.root, root))
      pending.removeLast()
      note(leaves, root)
    }
    pending.append((leaves, root))
  }

  private mutating func note(_ leaves: Range<UInt64>, _ root: Digest256) { if wanted.contains(leaves) { roots[leaves] = root } }
}

extension Frontier {
  /// The heights of the complete subtrees, the largest first.
  fileprivate var heights: [Int] { (0..<64).reversed().filter { size >> UInt64($0) & 1 == 1 } }
}
