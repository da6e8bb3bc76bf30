import Testing

@testable import Doctor

/// Who may do what with a file, as acl(5) decides it.
@Suite struct FileRightsTests {
  private static func rights(_ mode: UInt32, _ list: [UInt8]? = nil) -> FileRights {
    FileRights(FileFacts(kind: .file, owner: 10, group: 20, mode: mode, size: 0), list: list)
  }

  /// The kernel's form of an access control list.
  private static func list(_ entries: (tag: UInt8, rights: UInt8, id: UInt8)...) -> [UInt8] {
    [2, 0, 0, 0] + entries.flatMap { [$0.tag, 0, $0.rights, 0, $0.id, 0, 0, 0] }
  }

  private static func visitor(_ user: UInt32?, _ groups: Set<UInt32> = []) -> Visitor {
    Visitor(name: "", user: user, groups: groups)
  }

  @Test(
    "by the bits alone the owner, then the group, then all others",
    arguments: [
      (10, [], 0o400, true), (10, [20], 0o044, false), (nil, [20], 0o040, true),
      (nil, [20], 0o404, false), (nil, [], 0o004, true), (nil, [], 0o440, false),
      (0, [], 0o000, true),
    ] as [(UInt32?, Set<UInt32>, UInt32, Bool)])
  func bits(_ user: UInt32?, _ groups: Set<UInt32>, _ mode: UInt32, _ mayRead: Bool) {
    #expect(Self.rights(mode).allow(Self.visitor(user, groups), .read) == mayRead)
  }

  @Test(
    "a list names users and groups, and its mask takes rights from all of them but the owner and others"
  ) func lists() {
    let mask: UInt8 = 4
    let open = Self.rights(
      0o640, Self.list((1, 6, 0), (2, 6, 11), (4, 0, 0), (8, 4, 30), (16, mask, 0), (32, 0, 0)))
    #expect(
      open.allow(Self.visitor(nil, [30]), .read) && !open.allow(Self.visitor(nil, [30]), .write))
    #expect(
      open.allow(Self.visitor(11), .read) && !open.allow(Self.visitor(11), .write), "the mask")
    #expect(
      open.allow(Self.visitor(10), .write) && !open.allow(Self.visitor(nil, [20]), .read)
        && !open.allow(Self.visitor(nil), .read))
    // As `chmod 600` leaves a list: its mask is what the group's bits show.
    let closed = Self.rights(
      0o600, Self.list((1, 6, 0), (4, 4, 0), (8, 4, 30), (16, 0, 0), (32, 0, 0)))
    #expect(
      !closed.allow(Self.visitor(nil, [30]), .read) && !closed.allow(Self.visitor(nil, [20]), .read)
        && closed.allow(Self.visitor(10), .read))
  }

  @Test(
    "what is no list counts for nothing, and the bits decide",
    arguments: [[], [2, 0, 0, 0, 1], [3, 0, 0, 0], [2, 0, 0, 0, 9, 0, 7, 0, 0, 0, 0, 0]]
      as [[UInt8]])
  func noList(_ bytes: [UInt8]) {
    #expect(
      Self.rights(0o040, bytes).allow(Self.visitor(nil, [20]), .read)
        && !Self.rights(0o040, bytes).allow(Self.visitor(nil), .read))
  }
}
