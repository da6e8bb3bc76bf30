import Audit
import Format
import Foundation
import KistClient
import Testing

/// Who the daemon takes a process for, when it is made as hard as the kernel allows.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root to be several users"))
struct CallersTests {
  private static let (user, subordinate, group, lastGroup) = (
    UInt32(40_021), UInt32(400_005), UInt32(40_020), UInt32(45_069)
  )

  private static let policy = """
    [[grant]]
    id = "last-of-many"
    groups = [\(lastGroup)]
    operations = ["who"]

    [[grant]]
    id = "officers"
    groups = [\(group)]
    operations = ["who", "list-keys", "describe-key", "generate-key", "activate-key", "approve"]
    keys = ["*"]
    stages = true
    """

  private func start(launcher: [String] = [], policy: String = policy) throws -> TestDaemon {
    let daemon = try TestDaemon(
      TestDaemon.Options(
        policy: policy, mode: "0666", extra: "[operators]\napproval = [\"activate-key\"]\n",
        launcher: launcher))
    for (name, mode) in [("", 0o755), ("/run", 0o755), ("/run/admin.sock", 0o666)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: daemon.directory.path + name)
    }
    return daemon
  }

  /// `kist` as a user with these groups.
  private func kist(
    _ words: [String], _ path: String, as uid: UInt32 = user, groups: [UInt32],
    through: [String] = []
  ) throws -> (code: Int32, text: String) {
    let list =
      groups.isEmpty
      ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
    let person = ["setpriv", "--reuid=\(uid)", "--regid=\(Self.user)", list] + through
    return try Terminal(person + [TestDaemon.executable("kist").path] + words + ["--socket", path])
      .end()
  }

  @Test(
    "a caller has its own groups, however many, in a user namespace too",
    arguments: [1, 64, 65, 70, 4000] as [UInt32]) func manyGroups(_ count: UInt32)
    throws
  {
    let daemon = try start()
    defer { daemon.stop() }
    let groups = Array(Self.lastGroup - count + 1...Self.lastGroup)
    // Somebody with other groups first: what memory was left behind must not become the next
    // caller's.
    let others = (0..<64).map { _ in Self.group }
    for through in [[], ["unshare", "--user"], ["unshare", "--user", "--map-root-user"]] {
      #expect(
        try kist(["who"], daemon.services.path, as: 40_022, groups: others).text.contains(
          "grant officers"))
      let seen = try kist(["who"], daemon.services.path, groups: groups, through: through)
      #expect(
        seen.code == 0 && seen.text.contains("user \(Self.user),")
          && seen.text.contains("grant last-of-many"), "\(through): \(seen)")
      #expect(!seen.text.contains("officers"), "\(through): \(seen)")
      #expect(
        try kist(["who"], daemon.services.path, groups: groups.dropLast(), through: through).code
          == 1)
    }
  }

  @Test(
    "[WIRE-13] a subordinate uid is its owner from the moment on when the file says so: no group's grant, no place among operators"
  )
  func subordinates() throws {
    let etc = try PrivateAccounts(users: "olga:x:\(Self.user):\(Self.user)::/:/bin/sh\n")
    let daemon = try start(launcher: etc.launcher)
    let services = daemon.services.path
    let operators = daemon.operators.path
    func officer(_ words: String..., as uid: UInt32) throws -> (code: Int32, text: String) {
      try kist(words, words[0] == "who" ? services : operators, as: uid, groups: [Self.group])
    }
    #expect(
      try officer(
        "key", "generate", "--label", "acme/new", "--role", "sealing", "--pre-active", as: Self.user
      ).code == 0)
    let asked = try officer("key", "activate", "acme/new", as: Self.user)
    let name = String(try #require(asked.text.firstMatch(of: /kist approve ([0-9a-f]{8})/)).1)
    // The file says nothing of it yet, as with an account of a directory service.
    #expect(try officer("who", as: Self.subordinate).text.contains("grant officers"))
    let lines = try [services, operators].map { try line($0, as: Self.subordinate) }
    let own = try line(services, as: Self.user)
    for line in lines + [own] { #expect(try line.ask() == "0") }

    try etc.write("subuid", "olga:400000:65536\n")
    #expect(try daemon.takeAccounts().code == 0)
    try eventually { try officer("who", as: Self.subordinate).code == 1 }
    #expect(try lines[1].ask() == "closed")
    try eventually { try lines[0].ask() == "closed" }
    #expect(try own.ask() == "0")
    #expect(try officer("approve", name, as: Self.subordinate).code == 1)
    #expect(try officer("approve", name, as: Self.user).text.contains("it is your own request"))
    // Behind a user namespace of its own, the owner is still the owner, and another account
    // another.
    #expect(
      try kist(
        ["who"], services, groups: [Self.group], through: ["unshare", "--user", "--map-root-user"]
      ).text.contains("grant officers"))
    #expect(try officer("approve", name, as: 40_022).code == 0)
    #expect(daemon.stop() == 0)
    let refused = try #require(
      try daemon.records().first { $0.policy?.denial == "subordinate-user" })
    #expect(
      refused.actor?.uid == Int64(Self.subordinate) && refused.actor?.owner == Int64(Self.user)
        && refused.result == "denied")
  }

  private func line(_ path: String, as uid: UInt32, groups: [UInt32] = [group]) throws -> OpenLine {
    try OpenLine(path, as: uid, gid: Self.user, groups: groups)
  }

  @Test("a subuid that cannot be read any more changes nothing, and is told")
  func unreadSubordinates() throws {
    let range = "olga:400000:65536\n"
    let etc = try PrivateAccounts(
      users: "olga:x:\(Self.user):\(Self.user)::/:/bin/sh\n", subordinates: "olga:5\n" + range)
    let daemon = try start(launcher: etc.launcher)
    #expect(daemon.errors(until: "event=ready").contains("event=subordinate-lines-unread lines=1 "))
    try etc.write("subuid", String(repeating: "#", count: 1 << 20) + "\n" + range)
    let refused = try daemon.takeAccounts()
    #expect(refused.code == 78 && refused.text.contains("longer than 1 MiB"), "\(refused)")
    let seen = try kist(["who"], daemon.services.path, as: Self.subordinate, groups: [Self.group])
    #expect(seen.code == 1)
    #expect(daemon.stop() == 0)
  }

  @Test(
    "who has left a group leaves its role on the operators' socket, whatever the process still has; a service's process keeps it"
  )
  func groupLeft() throws {
    func list(_ members: String) -> String { "officers:x:\(Self.group):\(members)\n" }
    let primary = UInt32(40_023)
    let other = UInt32(40_024)
    let users =
      "olga:x:\(Self.user):\(Self.user)::/:/bin/sh\nOlga:x:\(Self.user):\(Self.user)::/:/bin/sh\nuwe:x:\(primary):\(Self.group)::/:/bin/sh\n"
    let etc = try PrivateAccounts(users: users, groups: list("dora,Olga"))
    let daemon = try start(launcher: etc.launcher)
    let services = daemon.services.path
    let operators = daemon.operators.path
    let lines = try [operators, services].map { try line($0, as: Self.user) }
    for line in lines { #expect(try line.ask() == "0") }

    try etc.write("group", "root:x:0:\n" + list("dora"))
    #expect(try daemon.takeAccounts().code == 0)
    #expect(try lines.map { try $0.ask() } == ["closed", "0"])
    #expect(try line(operators, as: Self.user).ask() == "3")
    #expect(try line(services, as: Self.user).ask() == "0")
    // As one's primary group, too, which newgrp(1) makes of any.
    #expect(try OpenLine(operators, as: Self.user, gid: Self.group, groups: []).ask() == "3")
    #expect(try OpenLine(operators, as: primary, gid: Self.group, groups: []).ask() == "0")
    // Of a directory's accounts and groups the files say nothing.
    #expect(try line(operators, as: other).ask() == "0")
    #expect(try line(operators, as: Self.user, groups: [Self.lastGroup]).ask() == "0")

    let again = try line(operators, as: Self.user)
    #expect(try again.ask() == "3")
    try etc.write("group", "root:x:0:\n" + list("olga"))
    #expect(try daemon.takeAccounts().code == 0)
    #expect(try again.ask() == "closed")
    #expect(try line(operators, as: Self.user).ask() == "0")
    // A file that cannot be read is not taken: what it said before stays.
    try etc.write("group", String(repeating: "#", count: 1 << 20) + "\n")
    #expect(try daemon.takeAccounts().code == 78)
    #expect(try line(operators, as: Self.user).ask() == "0")
    #expect(daemon.stop() == 0)
  }

  @Test(
    "a policy that names somebody who is deleted is refused by a reload as by a start, and the old one stays"
  )
  func deletedUser() throws {
    let users = ["olga", "uwe"].enumerated().map {
      "\($1):x:\(Self.user + UInt32($0)):\(Self.user)::/:/bin/sh\n"
    }
    let etc = try PrivateAccounts(users: users.joined())
    let policy =
      "[[grant]]\nid = \"two\"\nusers = [\"olga\", \"uwe\"]\noperations = [\"who\", \"status\", \"metrics\"]\n"
    let daemon = try start(launcher: etc.launcher, policy: policy)
    #expect(try daemon.reload().code == 0)
    try etc.write("passwd", "root:x:0:0:root:/root:/bin/sh\n" + users[0])
    let refused = try daemon.reload()
    #expect(
      refused.code == 78 && refused.text.contains("10-test.toml:3:18: unknown user \"uwe\""),
      "\(refused)")
    #expect(try kist(["who"], daemon.services.path, groups: []).code == 0)
    #expect(try daemon.takeAccounts().code == 0, "who is who is no matter of policy")
    try etc.write("passwd", "root:x:0:0:root:/root:/bin/sh\n" + users.joined())
    #expect(try daemon.reload().code == 0)
    #expect(daemon.stop() == 0)
  }

  @Test("ranges of subordinate ids that only a directory service knows are warned of, by its name")
  func otherSource() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-nsswitch-\(UUID().uuidString.prefix(8))")
    try Data("passwd: files\nsubid: sss\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mounting = "mount --bind \"$0\" /etc/nsswitch.conf && exec \"$@\""
    let daemon = try start(launcher: [
      "unshare", "--mount", "--propagation", "private", "sh", "-c", mounting, file.path,
    ])
    #expect(daemon.stop() == 0)
    #expect(daemon.readErrors().contains("event=subordinate-users-unknown source=sss"))
  }

  @Test(
    "the record has the caller's name as the daemon's host has it, and the group by which a grant covered it"
  ) func names() throws {
    let daemon = try start()
    #expect(try kist(["who"], daemon.services.path, as: 1, groups: [Self.lastGroup]).code == 0)
    #expect(try kist(["who"], daemon.services.path, as: 40_022, groups: [Self.group]).code == 0)
    #expect(daemon.stop() == 0)
    let records = try daemon.records().filter { $0.operation == "who" }
    // uid 1 is `daemon` on every Debian; 40022 is nobody.
    #expect(records.map { $0.actor?.name } == ["daemon", nil])
    #expect(records.map { $0.policy?.group } == [Int64(Self.lastGroup), Int64(Self.group)])
  }

  /// x86-64: getsockopt with SO_PEERPIDFD.
  @Test(
    "[OP-STATUS-3] a kernel that tells no process: the grants that need one are named, and the others serve"
  ) func withoutPeerPidfd() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Support/without_call.py")
    let policy =
      Self.policy
      + "\n[[grant]]\nid = \"by-unit\"\nusers = [\(Self.user)]\nunits = [\"a.service\"]\noperations = [\"random\"]\n\n[[grant]]\nid = \"status\"\nusers = [0]\noperations = [\"status\"]\n"
    let daemon = try start(launcher: [Oracle.python, script.path, "55:77:2", "--"], policy: policy)
    #expect(
      try kist(["who"], daemon.services.path, groups: [Self.lastGroup]).text.contains(
        "grant last-of-many"))
    #expect(try Client(daemon.operators).status().unmatchedGrants == "by-unit")
    #expect(daemon.stop() == 0)
    let errors = daemon.readErrors()
    #expect(
      errors.contains("event=grant-never-matches grant=by-unit") && errors.contains("SO_PEERPIDFD"))
    #expect(!errors.contains("grant=last-of-many"))
  }
}
