import Configuration
import Foundation
import Policy
import Testing

@Suite final class SubordinateUsersTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-subuid-\(UUID().uuidString.prefix(8))")
  private static let known = Accounts(uid: { ["alice": 1001, "bob": 1002][$0] }, gid: { _ in nil })

  deinit { try? FileManager.default.removeItem(at: file) }

  private func read(_ text: String) throws -> SubordinateUsers {
    try Data(text.utf8).write(to: file)
    return try SubordinateUsers.load(file.path, accounts: Self.known)
  }

  @Test func aRangeIsItsOwners() throws {
    let users = try read("alice:100000:65536\n1002:165536:65536\nalice:300000:1\n")
    let expected: [(UInt32, AccountTable.Ownership)] = [
      (99_999, .account), (100_000, .subordinate(of: 1001)), (165_535, .subordinate(of: 1001)),
      (165_536, .subordinate(of: 1002)),
      (231_071, .subordinate(of: 1002)), (231_072, .account), (300_000, .subordinate(of: 1001)),
      (300_001, .account), (1001, .account), (0, .account),
    ]
    for (uid, ownership) in expected { #expect(users.ownership(of: uid) == ownership, "\(uid)") }
  }

  /// newuidmap takes numbers as strtoul does.
  @Test func numbersMayHaveAPrefix() throws {
    let users = try read("alice:0x10:010\n")
    #expect(
      users.ownership(of: 16) == .subordinate(of: 1001)
        && users.ownership(of: 23) == .subordinate(of: 1001))
    #expect(users.ownership(of: 15) == .account && users.ownership(of: 24) == .account)
  }

  @Test func anOwnerWhomNobodyKnowsIsOnePerson() throws {
    let users = try read("ghost:100000:10\n")
    #expect(users.ownership(of: 100_009) == .subordinate(of: 100_000))
  }

  @Test func anAccountsOwnIdIsNoSubordinate() throws {
    #expect(try read("alice:1001:1\n").ownership(of: 1001) == .account)
  }

  @Test func idsOfSeveralOwnersAreDisputed() throws {
    let users = try read("alice:100000:10\nbob:100005:10\n1001:100000:10\n")
    #expect(users.ownership(of: 100_004) == .subordinate(of: 1001))
    #expect(users.ownership(of: 100_005) == .disputed)
    #expect(users.ownership(of: 100_010) == .subordinate(of: 1002))
  }

  /// shadow, lib/subordinateio.c: the third field ends at a further colon, `strtoul` takes white
  /// space and signs before a number, and a line ends with a line feed alone.
  @Test(
    "whatever newuidmap takes is taken",
    arguments: [
      "alice:100000:65536:\n", "alice:100000:65536:of hers\n", "alice: 100000:65536\n",
      "alice:100000:\t65536\n", "alice:+100000:65536\n", "alice:100000:65536",
      "bob:1:1\r\nalice:100000:65536\n", "# ranges\r\nalice:100000:65536\r\n\nalice:100000:65536\n",
      "\u{e9}\u{301}:1:1\nalice:100000:65536\n", "\nalice:100000:65536\n", "alice:0:0\n",
      "alice:0:-1\n",
    ]) func whatShadowTakes(_ text: String) throws
  {
    let users = try read(text)
    for uid in [100_000, 165_535] as [UInt32] {
      #expect(users.ownership(of: uid) == .subordinate(of: 1001), "\(uid)")
    }
  }

  @Test(
    "a line that gives nobody an id is passed over, and its number told",
    arguments: [
      ("", []), ("\n\n", []), ("# alice:100000:1\n", []), ("alice:100000\n", [1]),
      (":100000:1\n", [1]), ("bob:1:1\n\nalice:x:1\n", [3]), ("alice:100000:0\n", [1]),
      ("alice:100000:1x\n", [1]), ("alice:100000:1 \n", [1]), ("alice:100000:1\r\n", [1]),
      ("alice:-1:1\n", [1]), ("alice:4294967296:1\n", [1]), ("alice::1\n", [1]),
      ("alice:100000:-1\n", [1]), ("alice:18446744073709551616:1\n", [1]),
      ("alice:4294967295:18446744073709551615\n", [1]),
    ] as [(String, [Int])])
  func linesOfAnotherFormArePassedOver(_ text: String, unread: [Int]) throws {
    let users = try read(text)
    #expect(users.unreadLines == unread)
    for uid in [100_000, 100_001, .max] as [UInt32] {
      #expect(users.ownership(of: uid) == .account)
    }
  }

  @Test func aRangeEndsWithTheNumbers() throws {
    let users = try read("alice:4294967295:4294967296\n")
    #expect(users.ownership(of: .max) == .subordinate(of: 1001))
  }

  /// newuidmap compares the owner as a name and as a number.
  @Test func aNameOfDigitsIsTwoOwners() throws {
    let accounts = Accounts(uid: { $0 == "1002" ? 7 : nil }, gid: { _ in nil })
    try Data("1002:100000:10\n".utf8).write(to: file)
    let users = try SubordinateUsers.load(file.path, accounts: accounts)
    #expect(users.ownership(of: 100_000) == .disputed)
  }

  @Test(
    arguments: [
      ("", nil), ("passwd: files sss\n", nil), ("subid: files\n", nil), ("# subid: sss\n", nil),
      ("subid: sss\n", "sss"), ("subid:\tsss # where\n", "sss"),
      ("passwd: files\nsubid:  ldap files\n", "ldap"), ("SUBID: sss\n", "sss"), ("subid:\n", nil),
      ("subids: sss\n", nil), ("subid: # sss\n", nil),
      ("passwd: files\r\nsubid: sss\r\n", "sss"), ("subid: files\r\n", nil),
    ] as [(String, String?)]) func rangesThatAreKeptElsewhereAreNamed(
      _ text: String, source: String?
    ) throws
  {
    try Data(text.utf8).write(to: file)
    #expect(try SubordinateUsers.unreadSource(file.path) == source)
    #expect(try SubordinateUsers.unreadSource("/nowhere") == nil)
  }

  @Test func noFileIsNoRange() throws {
    #expect(try SubordinateUsers.load(file.path, accounts: Self.known) == .none)
  }
}
