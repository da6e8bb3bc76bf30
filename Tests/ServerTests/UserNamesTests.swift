import Configuration
import Server
import Testing
import TestSupport

@Suite struct UserNamesTests {
  /// A system whose accounts change, and a clock.
  private final class Host: @unchecked Sendable {
    var (names, lookUps, now): ([UInt32: String], Int, Int64) = ([1: "alice"], 0, 0)
  }

  @Test("a name is looked up once a minute, one that is absent too, and the memory is bounded") func remembers() {
    let host = Host()
    let accounts = Accounts(
      uid: { _ in nil }, gid: { _ in nil },
      userName: { uid in
        host.lookUps += 1
        return host.names[uid]
      })
    let names = UserNames(accounts, nanoseconds: { host.now })
    for _ in 0..<100 { #expect(names.name(of: 1) == "alice" && names.name(of: 2) == nil) }
    #expect(host.lookUps == 2)
    host.names = [1: "bob", 2: "carol"]
    host.now = 59_999_999_999
    #expect(names.name(of: 1) == "alice" && names.name(of: 2) == nil)
    host.now = 60_000_000_000
    #expect(names.name(of: 1) == "bob" && names.name(of: 2) == "carol")
    for uid in 0..<20_000 as Range<UInt32> { _ = names.name(of: uid) }
    #expect(names.name(of: 1) == "bob")
  }
}
