import Configuration
import Foundation
import Operations
import Policy
import Server
import Testing
import TestSupport

/// Whether an open connection's caller is still who it was when it connected.
@Suite final class IdentityInForceTests {
  private final class Clock: @unchecked Sendable { var now: Int64 = 7 }

  private static let second: Int64 = 1_000_000_000
  private let clock = Clock()
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("kist-identity-" + UUID().uuidString.prefix(8)).path
  private let identity: IdentityInForce
  private let alice = Caller(uid: 1001, gid: 1001, groups: [20, 30], pid: 1)
  private let guest = Caller(uid: 100_000, gid: 1, pid: 1)

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let files = AccountFiles(
      users: directory + "/passwd", groups: directory + "/group",
      subordinates: directory + "/subuid")
    let clock = clock
    identity = IdentityInForce(
      PeerIdentity(slices: [], subordinates: .none), Accounts(uid: { _ in nil }, gid: { _ in nil }),
      files, nanoseconds: { clock.now })
    try write("passwd", "alice:x:1001:1001::/:\n")
    try write("group", "alice:x:1001:\nofficers:x:20:alice\nteam:x:30:bob,alice\n")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + name), options: .atomic)
  }

  @Test("an operator's connection ends after an hour, a service's does not") func age() {
    var (operators, services) = (identity.unconfirmed(on: .operators), identity.unconfirmed(on: .services))
    for (seconds, isYoung) in [(0, true), (3599, true), (3600, false), (1 << 32, false)] as [(Int64, Bool)] {
      clock.now = 7 + seconds * Self.second
      #expect(identity.confirms(alice, on: .operators, &operators) == isYoung, "\(seconds)")
      #expect(identity.confirms(alice, on: .services, &services), "\(seconds)")
    }
  }

  @Test("a group that is taken away ends an operator's connection, and none of a service's") func group() throws {
    var (operators, services) = (identity.unconfirmed(on: .operators), identity.unconfirmed(on: .services))
    #expect(identity.confirms(alice, on: .operators, &operators) && identity.confirms(alice, on: .services, &services))
    try write("group", "alice:x:1001:\nofficers:x:20:\nteam:x:30:bob,alice\n")
    clock.now += Self.second
    #expect(!identity.confirms(alice, on: .operators, &operators))
    #expect(identity.confirms(alice, on: .services, &services))
    let left = alice.named(by: { _ in nil }, without: [20])
    #expect(left.allGroups == [1001, 30])
    var next = identity.unconfirmed(on: .operators)
    #expect(identity.confirms(left, on: .operators, &next))
    try write("passwd", "alice:x:1001:20::/:\n")
    #expect(!identity.confirms(left, on: .operators, &next))
    // Another person's number now.
    try write("passwd", "bob:x:1001:1001::/:\n")
    let others = alice.named(by: { _ in nil }, without: [20])
    #expect(identity.confirms(others, on: .operators, &next))
  }

  @Test("an id that becomes somebody's, or a matter of dispute, ends its connections: a service's after a second at most")
  func subordinate() throws {
    for line in ["7:100000:1\n", "7:100000:1\n8:100000:1\n"] {
      try write("subuid", "")
      var (operators, services) = (identity.unconfirmed(on: .operators), identity.unconfirmed(on: .services))
      #expect(identity.confirms(guest, on: .operators, &operators) && identity.confirms(guest, on: .services, &services))
      try write("subuid", line)
      #expect(!identity.confirms(guest, on: .operators, &operators))
      clock.now += Self.second - 1
      #expect(identity.confirms(guest, on: .services, &services))
      clock.now += 1
      #expect(!identity.confirms(guest, on: .services, &services))
    }
  }

  @Test("a reload asks again, too") func reload() throws {
    var operators = identity.unconfirmed(on: .operators)
    let mine = Caller(uid: 100_000, gid: 1, pid: 1, owner: 7)
    #expect(identity.confirms(guest, on: .operators, &operators))
    #expect(!identity.confirms(mine, on: .operators, &operators))
    let path = directory + "/other"
    try write("other", "7:100000:1\n")
    let subordinates = try SubordinateUsers.load(path, accounts: Accounts(uid: { _ in nil }, gid: { _ in nil }))
    identity.replace(with: PeerIdentity(slices: [], subordinates: subordinates))
    #expect(!identity.confirms(guest, on: .operators, &operators))
    #expect(identity.confirms(mine, on: .operators, &operators))
  }
}
