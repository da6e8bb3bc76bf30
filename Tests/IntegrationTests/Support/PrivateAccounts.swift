import Foundation

/// An `/etc` of the daemon's own, with accounts that a test changes as useradd(8) and gpasswd(1)
/// do: with files that are renamed into place.
final class PrivateAccounts {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("kist-etc-\(UUID().uuidString.prefix(8))").path

  init(users: String, groups: String = "", subordinates: String = "") throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    for name in ["ld.so.cache", "machine-id", "nsswitch.conf"] {
      guard let file = try? Data(contentsOf: URL(fileURLWithPath: "/etc/" + name)) else { continue }
      try file.write(to: URL(fileURLWithPath: directory + "/" + name))
    }
    try write("passwd", "root:x:0:0:root:/root:/bin/sh\n" + users)
    try write("group", "root:x:0:\n" + groups)
    try write("subuid", subordinates)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// What starts a daemon with it.
  var launcher: [String] {
    let mounting = "mount --bind \"$0\" /etc && exec \"$@\""
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounting, directory]
  }

  func write(_ name: String, _ text: String) throws {
    let new = directory + "/" + name + "+"
    let path = directory + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: new))
    guard unsafe chmod(new, 0o644) == 0, unsafe rename(new, path) == 0 else {
      throw TestDaemon.Failure("\(path): \(errno)")
    }
  }
}
