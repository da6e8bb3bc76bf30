import Audit
import Foundation
import KistClient
import Testing
import Wire

/// Who the daemon takes a process for, when it is made as hard as the kernel allows.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root to be several users")) struct CallersTests {
  private static let (user, subordinate, group, lastGroup) = (UInt32(40_021), UInt32(400_005), UInt32(40_020), UInt32(45_069))

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
      TestDaemon.Options(policy: policy, mode: "0666", extra: "[operators]\napproval = [\"activate-key\"]\n", launcher: launcher))
    for (name, mode) in [("", 0o755), ("/run", 0o755), ("/run/admin.sock", 0o666)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: daemon.directory.path + name)
    }
    return daemon
  }

  /// `kist` as a user with these groups.
  private func kist(_ words: [String], _ path: String, as uid: UInt32 = user, groups: [UInt32], through: [String] = []) throws -> (code: Int32, text: String) {
    let list = groups.isEmpty ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
    let person = ["setpriv", "--reuid=\(uid)", "--regid=\(Self.user)", list] + through
    return try Terminal(person + [TestDaemon.executable("kist").path] + words + ["--socket", path]).end()
  }

  @Test("a caller has its own groups, however many, in a user namespace too", arguments: [1, 64, 65, 70, 4000] as [UInt32]) func manyGroups(_ count: UInt32)
    throws
  {
    let daemon = try start()
    defer { daemon.stop() }
    let groups = Array(Self.lastGroup - count + 1...Self.lastGroup)
    // Somebody with other groups first: what memory was left behind must not become the next caller's.
    let others = (0..<64).map { _ in Self.group }
    for through in [[], ["unshare", "--user"], ["unshare", "--user", "--map-root-user"]] {
      #expect(try kist(["who"], daemon.services.path, as: 40_022, groups: others).text.contains("grant officers"))
      let seen = try kist(["who"], daemon.services.path, groups: groups, through: through)
      #expect(seen.code == 0 && seen.text.contains("user \(Self.user),") && seen.text.contains("grant last-of-many"), "\(through): \(seen)")
      #expect(!seen.text.contains("officers"), "\(through): \(seen)")
      #expect(try kist(["who"], daemon.services.path, groups: groups.dropLast(), through: through).code == 1)
    }
  }

  @Test("[WIRE-13] a subordinate uid is its owner: no group's grant, no place among operators; from a reload on where the file comes later")
  func subordinates() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("kist-subuid-\(UUID().uuidString.prefix(8))")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mounting = "mount --bind \"$0\" /etc/subuid && exec \"$@\""
    let daemon = try start(launcher: ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounting, file.path])
    let (services, operators) = (daemon.services.path, daemon.operators.path)
    func officer(_ words: String..., as uid: UInt32) throws -> (code: Int32, text: String) {
      try kist(words, words[0] == "who" ? services : operators, as: uid, groups: [Self.group])
    }
    #expect(try officer("key", "generate", "--label", "acme/new", "--role", "sealing", "--pre-active", as: Self.user).code == 0)
    let asked = try officer("key", "activate", "acme/new", as: Self.user)
    let name = String(try #require(asked.text.firstMatch(of: /kist approve ([0-9a-f]{8})/)).1)
    // The file says nothing of it yet, as with an account of a directory service.
    #expect(try officer("who", as: Self.subordinate).text.contains("grant officers"))

    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data("\(Self.user):400000:65536\n".utf8))
    try handle.close()
    daemon.reload()
    #expect(daemon.errors(until: "event=reloaded").contains("event=reloaded"))
    #expect(try officer("who", as: Self.subordinate).code == 1)
    #expect(try officer("approve", name, as: Self.subordinate).code == 1)
    #expect(try officer("approve", name, as: Self.user).text.contains("it is your own request"))
    // Behind a user namespace of its own, the owner is still the owner, and another account another.
    #expect(try kist(["who"], services, groups: [Self.group], through: ["unshare", "--user", "--map-root-user"]).text.contains("grant officers"))
    #expect(try officer("approve", name, as: 40_022).code == 0)
    #expect(daemon.stop() == 0)
    let refused = try #require(try daemon.records().first { $0.policy?.denial == "subordinate-user" })
    #expect(refused.actor?.uid == Int64(Self.subordinate) && refused.actor?.owner == Int64(Self.user) && refused.result == "denied")
  }

  @Test("ranges of subordinate ids that only a directory service knows are warned of, by its name") func otherSource() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("kist-nsswitch-\(UUID().uuidString.prefix(8))")
    try Data("passwd: files\nsubid: sss\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mounting = "mount --bind \"$0\" /etc/nsswitch.conf && exec \"$@\""
    let daemon = try start(launcher: ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounting, file.path])
    #expect(daemon.stop() == 0)
    #expect(daemon.readErrors().contains("event=subordinate-users-unknown source=sss"))
  }

  @Test("the record has the caller's name as the daemon's host has it, and the group by which a grant covered it") func names() throws {
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
  @Test("[OP-STATUS-3] a kernel that tells no process: the grants that need one are named, and the others serve") func withoutPeerPidfd() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Support/without_call.py")
    let policy =
      Self.policy
      + "\n[[grant]]\nid = \"by-unit\"\nusers = [\(Self.user)]\nunits = [\"a.service\"]\noperations = [\"random\"]\n\n[[grant]]\nid = \"status\"\nusers = [0]\noperations = [\"status\"]\n"
    let daemon = try start(launcher: [Oracle.python, script.path, "55:77:2", "--"], policy: policy)
    #expect(try kist(["who"], daemon.services.path, groups: [Self.lastGroup]).text.contains("grant last-of-many"))
    #expect(try Client(daemon.operators).status().unmatchedGrants == "by-unit")
    #expect(daemon.stop() == 0)
    let errors = daemon.readErrors()
    #expect(errors.contains("event=grant-never-matches grant=by-unit") && errors.contains("SO_PEERPIDFD"))
    #expect(!errors.contains("grant=last-of-many"))
  }
}
