package import Audit
package import CryptoBackend

/// The roots of parts of a tree, computed in one pass over its leaves; memory does not grow with the tree.
///
/// The parts of a proof are disjoint, so at most one is being computed at a time.
package struct SubtreeRoots {
  /// The parts, ascending, with their places in the order wanted.
  private var parts: ArraySlice<(place: Int, leaves: Range<UInt64>)>
  private var roots: [Digest256?]
  private var part = Frontier()
  /// The next leaf's index.
  private var next: UInt64 = 0

  init(_ wanted: [Range<UInt64>]) {
    parts = wanted.enumerated().map { ($0.offset, $0.element) }.sorted { $0.leaves.lowerBound < $1.leaves.lowerBound }[...]
    roots = Array(repeating: nil, count: wanted.count)
  }

  /// The next leaf's hash.
  package mutating func take(_ leaf: Digest256) { take(leaf, height: 0) }

  /// Takes the leaves before a log's oldest record, of which only complete subtrees are known.
  package mutating func take(_ edge: Frontier) {
    for (hash, height) in zip(edge.hashes, edge.heights) { take(hash, height: height) }
  }

  /// The roots in the order wanted; nil if one of the parts is not among the leaves, or is only part of a subtree that was taken whole.
  consuming func all() -> [Digest256]? {
    let found = roots.compactMap { $0 }
    return found.count == roots.count ? found : nil
  }

  private mutating func take(_ hash: Digest256, height: Int) {
    let leaves = next..<next + (1 << UInt64(height))
    next = leaves.upperBound
    while let first = parts.first, first.leaves.lowerBound < leaves.lowerBound, part.size == 0 { parts.removeFirst() }
    guard let (place, wanted) = parts.first, wanted.contains(leaves) else { return }
    part.append(hash, height: height)
    guard leaves.upperBound == wanted.upperBound else { return }
    roots[place] = part.root
    part = Frontier()
    parts.removeFirst()
  }
}

extension Range<UInt64> {
  fileprivate func contains(_ other: Range<UInt64>) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}

extension Frontier {
  /// The heights of the complete subtrees, the largest first.
  fileprivate var heights: [Int] { (0..<64).reversed().filter { size >> UInt64($0) & 1 == 1 } }
}
