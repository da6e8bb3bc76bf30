import Configuration
import Foundation
import Testing

/// Names in a process that can ask the system no more.
@Suite struct AccountMemoryTests {
  private let memory = AccountMemory()
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kist-accounts-" + UUID().uuidString.prefix(8)).path

  private func write(_ text: String, to name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let path = directory + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("the files first, then what was learnt; a name in neither is unknown") func recalls() throws {
    let system = Accounts(uid: { ["directory": 5000, "moved": 1][$0] }, gid: { ["team": 6000][$0] })
    let learning = memory.learning(from: system)
    #expect(learning.uid("directory") == 5000 && learning.uid("moved") == 1 && learning.gid("team") == 6000)
    #expect(learning.uid("later") == nil)

    let users = try write("root:x:0:0:root:/root:/bin/sh\nlater:x:1003:1003::/:\nmoved:x:1004:1004::/:\nbroken:x\n\nword:x:one:1::/:\n", to: "passwd")
    let groups = try write("root:x:0:\nclients:x:901:later\n", to: "group")
    let recalling = memory.recalling(userFile: users, groupFile: groups)
    #expect(recalling.uid("root") == 0)
    #expect(recalling.uid("later") == 1003)
    #expect(recalling.uid("moved") == 1004)
    #expect(recalling.uid("directory") == 5000)
    #expect(recalling.gid("clients") == 901)
    #expect(recalling.gid("team") == 6000)
    for name in ["", "ghost", "broken", "word", "roo", "root:x", "later:x:1003"] { #expect(recalling.uid(name) == nil, "\(name)") }
    #expect(recalling.gid("later") == nil)
    for (uid, name) in [(0, "root"), (1003, "later"), (1004, "moved"), (5000, "directory"), (7, nil)] as [(UInt32, String?)] {
      #expect(recalling.userName(uid) == name, "\(uid)")
    }
  }

  @Test("who was in a file and is deleted from it is forgotten, not recalled from the start")
  func deleted() throws {
    let (kept, gone) = ("root:x:0:0::/:\n", "bob:x:1002:1002::/:\n")
    let (users, groups) = (try write(kept + gone, to: "passwd"), try write("team:x:7:\n", to: "group"))
    let system = Accounts(
      uid: { ["bob": 1002, "directory": 5000][$0] }, gid: { ["team": 7, "all": 8][$0] })
    let learning = memory.learning(from: system, userFile: users, groupFile: groups)
    #expect(["bob", "directory"].map(learning.uid) == [1002, 5000])
    #expect(["team", "all"].map(learning.gid) == [7, 8])
    let recalling = memory.recalling(userFile: users, groupFile: groups)
    #expect(recalling.uid("bob") == 1002 && recalling.gid("team") == 7)
    (_, _) = (try write(kept, to: "passwd"), try write("", to: "group"))
    #expect(["bob", "directory"].map(recalling.uid) == [nil, 5000])
    #expect(["team", "all"].map(recalling.gid) == [nil, 8])
  }

  @Test("without the files the memory is all there is") func withoutFiles() {
    _ = memory.learning(from: Accounts(uid: { $0 == "kist" ? 900 : nil }, gid: { _ in nil })).uid("kist")
    let recalling = memory.recalling(userFile: "/no/such/file", groupFile: "/no/such/file")
    #expect(recalling.uid("kist") == 900)
    #expect(recalling.uid("root") == nil && recalling.gid("root") == nil)
  }
}
