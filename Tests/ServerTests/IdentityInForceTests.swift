import Format
import Operations
import Policy
@testable import Server
import Testing

/// Whether an open connection's caller is still who it was when it connected.
@Suite final class IdentityInForceTests {
  private final class Clock: @unchecked Sendable { var now: Int64 = 7 }

  private static let second: Int64 = 1_000_000_000
  private static let people = [UserRow(uid: 1001, name: "alice")]
  private let clock = Clock()
  private let identity: IdentityInForce
  private let alice = Caller(uid: 1001, gid: 1001, groups: [20, 30], pid: 1)
  private let guest = Caller(uid: 100_000, gid: 1, pid: 1)

  init() {
    let clock = clock
    identity = IdentityInForce(
      PeerIdentity(slices: [], accounts: Self.table()), nanoseconds: { clock.now })
  }

  /// Alice's groups are her own, and 30 with others; `officers` says who is in 20.
  private static func table(
    _ users: [UserRow] = people, officers: [UInt32] = [1001], subordinates: [SubordinateRow] = []
  ) -> AccountTable {
    let groups = [
      GroupRow(gid: 20, members: officers), GroupRow(gid: 30, members: [1001, 1002]),
      GroupRow(gid: 1001, members: [1001]),
    ]
    return AccountTable(users: users, groups: groups, subordinates: subordinates)
  }

  @Test("an operator's connection ends after an hour, a service's does not") func age() {
    var operators = identity.unconfirmed(on: .operators)
    var services = identity.unconfirmed(on: .services)
    for (seconds, isYoung) in [(0, true), (3599, true), (3600, false), (1 << 32, false)]
      as [(Int64, Bool)]
    {
      clock.now = 7 + seconds * Self.second
      #expect(identity.confirms(alice, on: .operators, &operators) == isYoung, "\(seconds)")
      #expect(identity.confirms(alice, on: .services, &services), "\(seconds)")
    }
  }

  @Test("a group that is taken away ends an operator's connection, and none of a service's")
  func group() {
    var operators = identity.unconfirmed(on: .operators)
    var services = identity.unconfirmed(on: .services)
    #expect(
      identity.confirms(alice, on: .operators, &operators)
        && identity.confirms(alice, on: .services, &services))
    identity.replace(with: Self.table(officers: []))
    clock.now += Self.second
    #expect(!identity.confirms(alice, on: .operators, &operators))
    #expect(identity.confirms(alice, on: .services, &services))
    let left = alice.named(by: { _ in nil }, without: [20])
    #expect(left.allGroups == [1001, 30])
    var next = identity.unconfirmed(on: .operators)
    #expect(identity.confirms(left, on: .operators, &next))
    identity.replace(with: Self.table())
    #expect(!identity.confirms(left, on: .operators, &next))
    // Of somebody in no file nothing is known.
    identity.replace(with: Self.table([UserRow(uid: 1002, name: "bob")], officers: []))
    #expect(identity.confirms(alice, on: .operators, &next))
  }

  @Test(
    "an id that becomes somebody's, or a matter of dispute, ends its connections: a service's after a second at most"
  )
  func subordinate() {
    for owners in [[7], [7, 8]] as [[UInt32]] {
      identity.replace(with: Self.table())
      var operators = identity.unconfirmed(on: .operators)
      var services = identity.unconfirmed(on: .services)
      #expect(
        identity.confirms(guest, on: .operators, &operators)
          && identity.confirms(guest, on: .services, &services))
      identity.replace(
        with: Self.table(subordinates: owners.map { SubordinateRow(100_000...100_000, of: $0) }))
      #expect(!identity.confirms(guest, on: .operators, &operators))
      clock.now += Self.second - 1
      #expect(identity.confirms(guest, on: .services, &services))
      clock.now += 1
      #expect(!identity.confirms(guest, on: .services, &services))
    }
  }

  @Test("a reload asks again, too") func reload() {
    var operators = identity.unconfirmed(on: .operators)
    let mine = Caller(uid: 100_000, gid: 1, pid: 1, owner: 7)
    #expect(identity.confirms(guest, on: .operators, &operators))
    #expect(!identity.confirms(mine, on: .operators, &operators))
    let table = Self.table(subordinates: [SubordinateRow(100_000...100_000, of: 7)])
    identity.replace(with: PeerIdentity(slices: [], accounts: table))
    #expect(!identity.confirms(guest, on: .operators, &operators))
    #expect(identity.confirms(mine, on: .operators, &operators))
  }

  @Test("a user is called as passwd has it, or else as policy names it") func names() throws {
    let users = [
      Principal(id: 5000, name: "directory"), Principal(id: 1001, name: "other"),
      Principal(id: 5001),
    ]
    let rule = try Rule(id: "all", callers: CallerRule(users: users), operations: [.random])
    let identity = IdentityInForce(
      PeerIdentity(slices: [], accounts: Self.table(), try Policy([rule])), nanoseconds: { 0 })
    #expect(
      identity.uid(of: "alice") == 1001 && identity.uid(of: "directory") == 5000
        && identity.uid(of: "nobody") == nil)
  }
}
