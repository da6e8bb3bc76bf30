import Configuration
import Foundation
import Policy
import Testing

@Suite final class FileTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-configuration-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: directory) }

  private func write(_ name: String, _ text: String, mode: Int = 0o644) throws {
    let path = directory.appendingPathComponent(name).path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func grant(_ id: String) -> String {
    "[[grant]]\nid = \"\(id)\"\nusers = [1]\noperations = [\"random\"]\n"
  }

  private func complaint(_ load: () throws -> Void) -> String? {
    do {
      try load()
      return nil
    } catch {
      return "\(error)".replacingOccurrences(of: directory.path, with: "DIR")
    }
  }

  private func policyComplaint() -> String? {
    complaint { _ = try PolicyDirectory.load(directory.path, accounts: accounts) }
  }

  @Test func policyFilesCountInByteOrderOfTheirNames() throws {
    for name in ["b.toml", "a.toml", "10.toml", "9.toml", "B.toml", "é.toml"] {
      try write(name, grant("g-\(name.utf8.first ?? 0)"))
    }
    let ids = try PolicyDirectory.load(directory.path, accounts: accounts).rules.map(\.id)
    #expect(ids == ["1", "9", "B", "a", "b", "é"].map { "g-\($0.utf8.first ?? 0)" })
  }

  @Test func whatIsNoPolicyFileIsPassedOver() throws {
    try write("10.toml", grant("a"))
    for name in [".10.toml", "10.toml~", "10.toml.dpkg-new", "README", "#10.toml#"] {
      try write(name, "not toml")
    }
    #expect(
      try PolicyDirectory.load(directory.path + "/", accounts: accounts).rules.map(\.id) == ["a"])
  }

  @Test func anEmptyDirectoryDeniesEverything() throws {
    #expect(try PolicyDirectory.load(directory.path, accounts: accounts).rules.isEmpty)
  }

  @Test func errorsNameTheFile() throws {
    try write("10.toml", grant("a"))
    try write("20.toml", "\n\n  oops")
    #expect(policyComplaint()?.hasPrefix("DIR/20.toml:3:") == true)
  }

  @Test func missingFilesAreNamed() {
    #expect(
      complaint {
        _ = try DaemonConfiguration.load(self.directory.path + "/kist.toml", accounts: accounts)
      }
        == "DIR/kist.toml: cannot be read: No such file or directory")
    #expect(
      complaint { _ = try PolicyDirectory.load(self.directory.path + "/none", accounts: accounts) }
        == "DIR/none: cannot be read: No such file or directory")
  }

  private func open(_ name: String, mode: Int) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: directory.path + name)
  }

  @Test func whatOthersMayWriteToIsRefused() throws {
    let complaint = "others than its owner may write to it; remove that permission (chmod go-w)"
    for mode in [0o666, 0o620, 0o602] {
      try write("10.toml", grant("a"), mode: mode)
      #expect(policyComplaint() == "DIR/10.toml: " + complaint)
    }
    try write("10.toml", grant("a"))
    #expect(policyComplaint() == nil)
    // In a sticky directory of policies anybody could still add one.
    for mode in [0o777, 0o775, 0o1777] {
      try open("", mode: mode)
      #expect(policyComplaint() == "DIR: " + complaint)
    }
  }

  @Test func theWholeWayUpCounts() throws {
    try FileManager.default.createDirectory(
      at: directory.appendingPathComponent("a/b"), withIntermediateDirectories: true)
    try write("a/b/kist.toml", "audit.origin = \"o\"\n")
    let load = {
      _ = try DaemonConfiguration.load(self.directory.path + "/a/b/kist.toml", accounts: accounts)
    }
    #expect(complaint(load) == nil)
    try open("/a", mode: 0o775)
    #expect(complaint(load)?.hasPrefix("DIR/a: others than its owner") == true)
    try open("/a", mode: 0o1777)
    #expect(complaint(load) == nil)
  }

  @Test func whatALinkLeadsToCountsAsMuchAsTheLink() throws {
    try FileManager.default.createDirectory(
      at: directory.appendingPathComponent("real"), withIntermediateDirectories: true)
    try write("real/kist.toml", "audit.origin = \"o\"\n")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/link", withDestinationPath: "./real/../real")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/loop", withDestinationPath: "loop")
    let load = {
      _ = try DaemonConfiguration.load(self.directory.path + "/link/kist.toml", accounts: accounts)
    }
    #expect(complaint(load) == nil)
    try open("/real", mode: 0o777)
    #expect(complaint(load)?.hasPrefix("DIR/real: others than its owner") == true)
    #expect(
      complaint {
        _ = try DaemonConfiguration.load(
          self.directory.path + "/loop/kist.toml", accounts: accounts)
      }?.contains("/loop: cannot be read") == true)
  }

  @Test(.enabled(if: getuid() == 0, "needs root to give a file away"))
  func whatSomebodyElseOwnsIsRefused() throws {
    try write("10.toml", grant("a"))
    #expect(unsafe chown(directory.path + "/10.toml", 40_001, 0) == 0)
    #expect(
      policyComplaint()
        == "DIR/10.toml: belongs to user 40001, who may change it; expected root or the daemon's user"
    )
    // The daemon's own user may change what it is ruled by.
    #expect(
      try PolicyDirectory.load(directory.path, accounts: accounts, changedBy: 40_001).rules.count
        == 1)
    #expect(unsafe chown(directory.path + "/10.toml", 0, 0) == 0)
    // A sticky directory passes only where the next component is not somebody else's.
    try open("", mode: 0o1777)
    #expect(unsafe chown(directory.path, 40_001, 0) == 0)
    #expect(
      policyComplaint()
        == "DIR: belongs to user 40001, who may change it; expected root or the daemon's user")
  }

  @Test func onlyRegularFilesAreRead() throws {
    try FileManager.default.createDirectory(
      at: directory.appendingPathComponent("10.toml"), withIntermediateDirectories: false)
    #expect(policyComplaint() == "DIR/10.toml: not a regular file")
  }

  @Test func aNamedPipeDoesNotHoldUpTheDaemon() throws {
    let made = unsafe mkfifo(directory.appendingPathComponent("10.toml").path, 0o600)
    #expect(made == 0)
    #expect(policyComplaint() == "DIR/10.toml: not a regular file")
  }

  @Test func longFilesAreRefused() throws {
    try write("10.toml", String(repeating: "#", count: 1 << 20))
    #expect(policyComplaint() == nil)
    try write("10.toml", String(repeating: "#", count: 1 << 20 + 1))
    #expect(policyComplaint() == "DIR/10.toml: longer than 1 MiB")
  }

  @Test func theConfigurationIsReadFromItsFile() throws {
    try write("kist.toml", "audit.origin = \"o\"\n")
    #expect(
      try DaemonConfiguration.load(directory.path + "/kist.toml", accounts: accounts).audit.origin
        == "o")
  }

  @Test func theSystemKnowsRoot() {
    #expect(Accounts.system.uid("root") == 0)
    #expect(Accounts.system.gid("root") == 0)
    #expect(Accounts.system.groups("root")?.first == 0)
    #expect(Accounts.system.uid("no such user") == nil)
    #expect(Accounts.system.gid("no such group") == nil)
    #expect(Accounts.system.groups("no such user") == nil)
  }
}
