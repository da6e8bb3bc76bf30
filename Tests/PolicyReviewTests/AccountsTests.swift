import Configuration
import Foundation
import Review
import Testing

/// The accounts of another host.
@Suite struct AccountsTests {
  @Test func filesOfAnotherHost() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-passwd-\(UUID())")
    defer { try? FileManager.default.removeItem(at: place) }
    try Data("root:x:0:0:root:/root:/bin/sh\nlater:x:1003:1003::/:\n".utf8).write(to: place)
    let accounts = try Accounts.files(users: place.path, groups: nil)
    #expect(accounts.uid("later") == 1003 && accounts.userName(1003) == "later")
    #expect(
      accounts.uid("ghost") == nil && accounts.userName(7) == nil && accounts.gid("later") == nil)
    #expect(throws: ConfigurationError.self) {
      try Accounts.files(users: place.path + "x", groups: nil)
    }
  }

  @Test func anyNameHasANumberOfItsOwn() {
    let accounts = Accounts.anyName()
    #expect(accounts.uid("a") != accounts.uid("b") && accounts.uid("a") == accounts.uid("a"))
  }
}
