import CAttributes
import Foundation
import KeyStore
import Testing

/// Makes the folder of a healthy host.
enum HealthyHost {
  private static let directories: [(path: String, owner: UInt32, group: UInt32, mode: mode_t)] = [
    ("/var/lib/kist", FalseHost.kist, FalseHost.kist, 0o700),
    ("/var/log/kist", FalseHost.kist, FalseHost.kist, 0o751),
    ("/var/log/kist/audit", FalseHost.kist, 996, 0o2750),
    ("/var/backups/kist", FalseHost.kist, FalseHost.kist, 0o700),
    ("/run/kist", FalseHost.kist, FalseHost.kist, 0o755),
  ]

  private static let kernel = [
    "/proc/sys/kernel/osrelease": "6.1.0-28-amd64\n",
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 secretmem.enable=1 quiet\n",
    "/proc/swaps": "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n",
    "/proc/sys/kernel/core_pattern": "core\n", "/proc/sys/fs/suid_dumpable": "0\n",
    "/proc/sys/kernel/yama/ptrace_scope": "1\n",
    "/proc/sys/kernel/seccomp/actions_avail": "kill_process errno allow\n",
  ]

  /// - Returns: its key store, open as a daemon has it.
  static func make(_ path: String) throws -> KeyStore {
    for (name, owner, group, mode) in directories {
      try FileManager.default.createDirectory(
        atPath: path + name, withIntermediateDirectories: true)
      try #require(unsafe chown(path + name, owner, group) == 0 && chmod(path + name, mode) == 0)
    }
    for (name, text) in kernel { try put(path + name, text) }
    for unit in ["kistd.service", "kist.socket", "kist-admin.socket"] {
      try put(
        "\(path)/lib/systemd/system/\(unit)",
        String(contentsOfFile: "\(FalseHost.packaging)/systemd/\(unit)", encoding: .utf8))
      let target = unit == "kistd.service" ? "multi-user" : "sockets"
      try put("\(path)/etc/systemd/system/\(target).target.wants/\(unit)", "")
    }
    let timers = ["kist-metrics.timer", "kist-doctor.timer"]
    for unit in timers + ["kist-accounts.path", "kist-check.timer"] {
      try put(
        "\(path)/lib/systemd/system/\(unit)",
        String(contentsOfFile: "\(FalseHost.packaging)/systemd/\(unit)", encoding: .utf8))
    }
    for timer in timers { try put("\(path)/etc/systemd/system/timers.target.wants/\(timer)", "") }
    for file in ["10-roles.toml", "20-example.toml"] {
      try put(
        "\(path)/etc/kist/policy.d/\(file)",
        String(contentsOfFile: "\(FalseHost.packaging)/example/policy.d/\(file)", encoding: .utf8))
    }
    try put(
      path + "/etc/kist/kist.toml",
      String(contentsOfFile: FalseHost.packaging + "/example/kist.toml", encoding: .utf8)
        .replacingOccurrences(of: "acme.example/kist/prod-1", with: TestLog.origin)
        .replacingOccurrences(
          of: "# directory = \"/var/backups/kist\"", with: "directory = \"/var/backups/kist\""))
    try socket(path + "/run/kist/kist.sock", 992)
    try socket(path + "/run/kist/admin.sock", 993)
    try letIn([991, 994, 995, 996], to: path + "/run/kist/admin.sock")
    try TestLog().write(to: path)
    return try TestStore.make(in: path)
  }

  private static func put(_ path: String, _ text: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644]))
  }

  /// Lets groups read and write a file, as the socket's unit does with setfacl.
  private static func letIn(_ groups: [UInt32], to path: String) throws {
    let entries: [(tag: UInt16, id: UInt32)] =
      [(1, .max), (4, .max)] + groups.map { (8, $0) } + [(16, .max)]
    var list: [UInt8] = [2, 0, 0, 0]
    for (tag, rights, id) in entries.map({ ($0.tag, UInt16(6), $0.id) }) + [(32, 0, .max)] {
      list +=
        [UInt8(tag), 0, UInt8(rights), 0]
        + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
    }
    try #require(unsafe setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0)
  }

  private static func socket(_ path: String, _ group: UInt32) throws {
    try #require(
      unsafe mknod(path, S_IFSOCK | 0o660, 0) == 0 && chmod(path, 0o660) == 0
        && chown(path, FalseHost.kist, group) == 0)
  }
}
