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

  package init(_ kind: Kind, _ index: UInt64, width: Int = TilePath.fullWidth) { (self.kind, self.index, self.width) = (kind, index, width) }

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
    return ["tile", level] + groups.dropLast().map { "x" + $0 } + (width < Self.fullWidth ? [groups[groups.count - 1] + ".p"] : [])
  }

  package var name: String { width < Self.fullWidth ? String(width) : groups[groups.count - 1] }

  /// The index in groups of three digits.
  private var groups: [String] {
    var (rest, groups) = (index, [String]())
    repeat {
      let digits = String(rest % 1000)
      groups.insert(String(repeating: "0", count: 3 - digits.utf8.count) + digits, at: 0)
      rest /= 1000
    } while rest > 0
    return groups
  }
}
