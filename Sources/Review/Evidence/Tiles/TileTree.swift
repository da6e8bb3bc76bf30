internal import Audit
internal import Crypto

/// Makes the files of a tree of tiles (C2SP tlog-tiles) in one pass over the log's entries.
///
/// It holds one unfinished tile of each level and one bundle of entries.
struct TileTree {
  private var bundle: [UInt8] = []
  private var levels: [Level] = [Level()]
  /// The right edge of the whole tree.
  private var edge = Frontier()

  package init() {}

  package var head: TreeHead { edge.head }
  var size: UInt64 { edge.size }

  /// - Parameter entry: at most 65,535 bytes.
  package mutating func take<E: Error>(_ entry: Span<UInt8>, _ emit: (TilePath, Span<UInt8>) throws(E) -> Void) throws(E) {
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
  package mutating func finish<E: Error>(_ emit: (TilePath, Span<UInt8>) throws(E) -> Void) throws(E) {
    let full = UInt64(TilePath.fullWidth)
    if edge.size % full > 0 { try emit(TilePath(.entries, edge.size / full, width: Int(edge.size % full)), bundle.span) }
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
