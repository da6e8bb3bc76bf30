import Audit
import Crypto

/// Makes the files of a tree of tiles (C2SP tlog-tiles) in one pass over the log's entries.
///
/// It holds one unfinished tile of each level and one bundle of entries.
struct TileTree {
  private var bundle: [UInt8] = []
  private var levels: [Level] = [Level()]
  /// The right edge of the whole tree.
  private var edge = Frontier()

  init() {}

  var head: TreeHead { edge.head }
  var size: UInt64 { edge.size }

  /// - Parameter entry: at most 65,535 bytes.
  mutating func take<E: Error>(
    _ entry: Span<UInt8>, _ emit: (TilePath, Span<UInt8>) throws(E) -> Void
  ) throws(E) {
    bundle.append(UInt8(entry.count >> 8))
    bundle.append(UInt8(entry.count & 0xFF))
    for i in entry.indices { bundle.append(entry[i]) }
    let leaf = TreeHash.leaf(entry)
    edge.append(leaf)
    let full = TilePath.fullWidth
    if edge.size.isMultiple(of: UInt64(full)) {
      try emit(TilePath(.entries, edge.size / UInt64(full) - 1), bundle.span)
      bundle.removeAll(keepingCapacity: true)
    }
    try take(leaf, at: 0, emit)
  }

  /// Makes the files that are not full, at the end.
  mutating func finish<E: Error>(_ emit: (TilePath, Span<UInt8>) throws(E) -> Void)
    throws(E)
  {
    let full = UInt64(TilePath.fullWidth)
    if edge.size % full > 0 {
      try emit(TilePath(.entries, edge.size / full, width: Int(edge.size % full)), bundle.span)
    }
    for (height, level) in levels.enumerated() where level.width > 0 {
      try emit(TilePath(.hashes(level: height), level.index, width: level.width), level.hashes.span)
    }
  }

  private struct Level {
    var index: UInt64 = 0
    var hashes: [UInt8] = []
    var edge = Frontier()

    var width: Int { hashes.count / 32 }
  }

  private mutating func take<E: Error>(
    _ hash: Digest256, at height: Int, _ emit: (TilePath, Span<UInt8>) throws(E) -> Void
  ) throws(E) {
    if height == levels.count { levels.append(Level()) }
    levels[height].hashes += hash.bytes
    levels[height].edge.append(hash)
    guard levels[height].width == TilePath.fullWidth else { return }
    let tile = levels[height]
    try emit(TilePath(.hashes(level: height), tile.index), tile.hashes.span)
    levels[height] = Level(index: tile.index + 1)
    try take(tile.edge.root, at: height + 1, emit)
  }
}

/// The place of one file of a tree of tiles (C2SP tlog-tiles).
package struct TilePath: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Up to 256 hashes, each of 256^level leaves.
    case hashes(level: Int)
    /// Up to 256 entries, each preceded by its length in two bytes.
    case entries
  }

  package let kind: Kind
  package let index: UInt64
  /// How many hashes or entries it has: 256 for a full tile.
  package let width: Int

  package init(_ kind: Kind, _ index: UInt64, width: Int = TilePath.fullWidth) {
    self.kind = kind
    self.index = index
    self.width = width
  }

  static let fullWidth = 256

  /// Such as `tile/0/x001/234.p/7`.
  package var text: String { (directories + [name]).joined(separator: "/") }

  /// The directories' names, from the top down.
  package var directories: [String] {
    let level =
      switch kind {
      case .hashes(let level): String(level)
      case .entries: "entries"
      }
    let groups = groups
    return ["tile", level] + groups.dropLast().map { "x" + $0 }
      + (width < Self.fullWidth ? [groups[groups.count - 1] + ".p"] : [])
  }

  package var name: String { width < Self.fullWidth ? String(width) : groups[groups.count - 1] }

  /// The index in groups of three digits.
  private var groups: [String] {
    var rest = index
    var groups = [String]()
    repeat {
      let digits = String(rest % 1000)
      groups.insert(String(repeating: "0", count: 3 - digits.utf8.count) + digits, at: 0)
      rest /= 1000
    } while rest > 0
    return groups
  }
}
