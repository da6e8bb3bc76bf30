/// Somebody who is to reach a file: a user and their groups.
struct Visitor: Hashable {
  /// As findings name them.
  let name: String
  /// Nil for anybody who is only in the groups.
  let user: UInt32?
  let groups: Set<UInt32>
}

/// One of the rights of a file, as a bit of three.
enum FileRight: UInt16 {
  case search = 1
  case write = 2
  case read = 4

  var verb: String {
    switch self {
    case .search: "enter"
    case .write: "write to"
    case .read: "read"
    }
  }
}

/// Who may do what with a file: its permission bits, or its access control list, acl(5).
struct FileRights {
  private struct Entry {
    let tag: Tag
    let rights: UInt16
    let id: UInt32
  }

  /// As the kernel numbers them.
  private enum Tag: UInt16 {
    case owner = 1
    case user = 2
    case owningGroup = 4
    case group = 8
    case mask = 16
    case others = 32
  }

  private let owner, group: UInt32
  private let entries: [Entry]

  /// - Parameter list: the attribute `system.posix_acl_access`, if the file has one.
  init(_ facts: FileFacts, list: [UInt8]?) {
    owner = facts.owner
    group = facts.group
    let bits = { (shift: UInt32) in UInt16(facts.mode >> shift & 7) }
    let plain = [
      Entry(tag: .owner, rights: bits(6), id: 0), Entry(tag: .owningGroup, rights: bits(3), id: 0),
      Entry(tag: .others, rights: bits(0), id: 0),
    ]
    entries = list.flatMap(Self.entries) ?? plain
  }

  /// By the steps of acl(5), "Access check algorithm".
  func allow(_ visitor: Visitor, _ right: FileRight) -> Bool {
    if visitor.user == 0 { return true }
    if visitor.user == owner { return has(right, entries.first { $0.tag == .owner }) }
    if let named = entries.first(where: { $0.tag == .user && $0.id == visitor.user }) {
      return hasMasked(right, named)
    }
    let groups = entries.filter { entry in
      (entry.tag == .owningGroup && visitor.groups.contains(group))
        || (entry.tag == .group && visitor.groups.contains(entry.id))
    }
    guard groups.isEmpty else { return groups.contains { hasMasked(right, $0) } }
    return has(right, entries.first { $0.tag == .others })
  }

  private func has(_ right: FileRight, _ entry: Entry?) -> Bool {
    (entry?.rights ?? 0) & right.rawValue != 0
  }

  private func hasMasked(_ right: FileRight, _ entry: Entry) -> Bool {
    guard let mask = entries.first(where: { $0.tag == .mask }) else { return has(right, entry) }
    return has(right, entry) && has(right, mask)
  }

  /// The kernel's form: four bytes of a version, then for each entry a tag and its rights of two
  /// bytes, and an id of four, all little-endian.
  private static func entries(_ list: [UInt8]) -> [Entry]? {
    guard list.count >= 4, (list.count - 4) % 8 == 0, list.prefix(4).elementsEqual([2, 0, 0, 0])
    else { return nil }
    var entries: [Entry] = []
    for place in stride(from: 4, to: list.count, by: 8) {
      let number = { (offset: Int, count: Int) in
        (0..<count).reduce(UInt32(0)) { $0 | UInt32(list[place + offset + $1]) << UInt32(8 * $1) }
      }
      guard let tag = Tag(rawValue: UInt16(number(0, 2))) else { return nil }
      entries.append(Entry(tag: tag, rights: UInt16(number(2, 2)), id: number(4, 4)))
    }
    return entries
  }
}

extension Surroundings {
  /// What on the way to this path, or at its end, keeps a visitor from it; nil if nothing does, or
  /// if it is not there.
  func obstacle(to path: String, for visitor: Visitor, _ right: FileRight) -> (
    path: String, right: FileRight
  )? {
    let names = path.split(separator: "/")
    for count in 0...names.count {
      let place = "/" + names.prefix(count).joined(separator: "/")
      guard case .there(let facts) = look(at: place) else { return nil }
      let found = FileRights(facts, list: accessList(of: place))
      let wanted = count == names.count ? right : .search
      if !found.allow(visitor, wanted) { return (place, wanted) }
    }
    return nil
  }
}
