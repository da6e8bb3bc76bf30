import Audit
import Doctor
import Format
import Foundation
import Review

extension FindingRow {
  private static let service = "/lib/systemd/system/kistd.service"
  private static let dropIn = "/etc/systemd/system/kistd.service.d/50-own.conf"

  static let unitRows: [FindingRow] = [
    FindingRow("unit-missing", 1, "systemd has no unit kist-admin.socket") {
      try $0.remove("/lib/systemd/system/kist-admin.socket")
    },
    FindingRow("unit-missing", 1, "systemd has no unit kist-accounts.path") {
      try $0.remove("/lib/systemd/system/kist-accounts.path")
    },
    FindingRow("unit-masked", 1, "kistd.service is masked") { host in
      try FileManager.default.createSymbolicLink(
        atPath: host.root + "/etc/systemd/system/kistd.service", withDestinationPath: "/dev/null")
    },
    FindingRow("unit-replaced", 3, "replaces the package's kistd.service") { host in
      try host.write("/etc/systemd/system/kistd.service", host.text(service))
    },
    FindingRow("unit-weakened", 3, "kistd.service has LimitCORE=infinity in place of LimitCORE=0") {
      try $0.write(dropIn, "[Service]\nLimitCORE=infinity\n")
    },
    FindingRow("unit-disabled", 3, "kist.socket does not start when the machine boots") {
      try $0.remove("/etc/systemd/system/sockets.target.wants/kist.socket")
    },
    FindingRow("unit-disabled", 3, "kist-doctor.timer does not start when the machine boots") {
      try $0.remove("/etc/systemd/system/timers.target.wants/kist-doctor.timer")
    },
    FindingRow("unit-blocks-call", 1, "does not allow memfd_secret") {
      try $0.edit(service, "SystemCallFilter=memfd_secret seccomp", "SystemCallFilter=seccomp")
    },
    FindingRow("unit-memory-limit", 1, "LimitMEMLOCK=8M is less than the") {
      try $0.write(dropIn, "[Service]\nLimitMEMLOCK=8M\n")
    },
    FindingRow("watchdog-with-people", 3, "WatchdogSec=60 restarts a daemon that people unlock") {
      try $0.write(dropIn, "[Service]\nWatchdogSec=60\n")
    },
    FindingRow("socket-missing", 1, "There is no socket") { try $0.remove("/run/kist/kist.sock") },
    FindingRow(
      "socket-path", 1,
      "kist.socket listens at /run/kist/kist.sock, and kist.toml names /run/kist/other.sock"
    ) {
      try $0.edit(
        configuration, "# socket = \"/run/kist/kist.sock\"", "socket = \"/run/kist/other.sock\"")
    },
    FindingRow("socket-mode", 1, "has mode 0666 and lets in more people than 0660") {
      try $0.chmod("/run/kist/admin.sock", 0o666)
    },
    FindingRow(
      "socket-mode", 1, "kist.socket has SocketMode=0666 and lets in more people than 0660 would"
    ) {
      try $0.write("/etc/systemd/system/kist.socket.d/own.conf", "[Socket]\nSocketMode=0666\n")
    },
    FindingRow(
      "socket-group", 1, "belongs to group 992, and kist-operators is to connect",
      others: ["role-shut-out"]
    ) {
      try $0.chown("/run/kist/admin.sock", FalseHost.kist, 992)
    },
  ]

  static let fileRows: [FindingRow] = [
    FindingRow("directory-missing", 1, "There is no directory /var/backups/kist") {
      try $0.remove("/var/backups/kist")
    },
    FindingRow("file-kind", 1, "/var/lib/kist/audit.checkpoint is no regular file") { host in
      try FileManager.default.moveItem(
        atPath: host.root + "/var/lib/kist/audit.checkpoint", toPath: host.root + "/checkpoint")
      try FileManager.default.createSymbolicLink(
        atPath: host.root + "/var/lib/kist/audit.checkpoint",
        withDestinationPath: host.root + "/checkpoint")
    },
    FindingRow("file-owner", 1, "manifest.json belongs to user 0 and not to the daemon's, 990") {
      try $0.chown(keys + "/manifest.json", 0)
    },
    FindingRow("file-owner", 1, "and 11 more there belong to user 0 and not to the daemon's, 990") {
      host in
      for number in 1...12 {
        let path = log + "/000000000000000000\(number + 10).log"
        try host.write(path, "")
        try host.chown(path, 0, 996)
        try host.chmod(path, 0o640)
      }
    },
    FindingRow("file-open", 1, "/var/lib/kist has mode 0755, and others have rights to it") {
      try $0.chmod("/var/lib/kist", 0o755)
    },
    FindingRow("path-untrusted", 1, "others than its owner may write to it") {
      try $0.chmod("/var/log", 0o777)
    },
    FindingRow("log-group", 3, "auditors cannot read them") { try $0.chmod(log, 0o750) },
    FindingRow(
      "daemon-shut-out", 1,
      "The daemon's user, Group kist-operators, Group kist-approvers, Group kist-auditors cannot read /etc/kist/kist.toml"
    ) {
      try $0.chmod(configuration, 0o600)
    },
    FindingRow("daemon-shut-out", 1, "cannot enter /etc/kist/policy.d") {
      try $0.chmod("/etc/kist/policy.d", 0o700)
    },
    FindingRow(
      "daemon-shut-out", 1, "cannot read /etc/kist/policy.d/10-roles.toml and 1 more there"
    ) { host in
      for file in [roles, services] { try host.chmod(file, 0o600) }
    },
    FindingRow(
      "role-shut-out", 1,
      "Group kist-auditors cannot read /var/log/kist/audit/00000000000000000000.log"
    ) {
      try $0.chown(log + "/00000000000000000000.log", FalseHost.kist)
    },
    FindingRow("role-shut-out", 1, "Group kist-auditors cannot enter /var/log/kist.") {
      try $0.chmod("/var/log/kist", 0o750)
    },
    FindingRow(
      "role-shut-out", 1, "Group kist-clients, Group kist-operators, Group kist-custodians"
    ) { try $0.chmod("/run/kist", 0o700) },
  ]

  static let hostRows: [FindingRow] = [
    FindingRow("disk-full", 1, "The disk of the audit log has 3 MiB left") {
      $0.surroundings.freeBytes = { $0.hasSuffix("/audit") ? 3 << 20 : 100 << 30 }
    },
    FindingRow("inodes-low", 1, "The disk of the key store has room for 12 files more") {
      $0.surroundings.freeFiles = { $0.hasSuffix("/lib/kist") ? 12 : 1 << 20 }
    },
    FindingRow("disk-low", 3, "The disk of the backups has 200 MiB left") {
      $0.surroundings.freeBytes = { $0.hasSuffix("/backups/kist") ? 200 << 20 : 100 << 30 }
    },
    FindingRow("not-examined", 3, "The kernel does not say whether the clock is right") {
      $0.surroundings.kernel.isClockSynchronised = nil
    },
    FindingRow("clock-unsynchronised", 3, "Nothing keeps the clock right") {
      $0.surroundings.kernel.isClockSynchronised = false
    },
    FindingRow(
      "clock-behind-log", 1,
      "The clock says 2026-11-22T12:00:00Z, and the log's last record is of 2026-11-23T12:00:00Z"
    ) { host in
      try host.write { $0.lines.append(.init(operation: "lock", time: TestLog.day(1))) }
    },
    FindingRow("kernel-too-old", 1, "Linux 5.10.0-33-amd64 has no memfd_secret(2)") { host in
      host.surroundings.kernel.secretMemory = ENOSYS
      try host.write("/proc/sys/kernel/osrelease", "5.10.0-33-amd64\n")
    },
    FindingRow("secret-memory-off", 1, "was booted without secretmem.enable=1") { host in
      host.surroundings.kernel.secretMemory = ENOSYS
      try host.write("/proc/cmdline", "root=/dev/sda1 quiet\n")
    },
    FindingRow(
      "secret-memory-blocked", 1, "a seccomp filter, as of a container, refuses it (errno 1)"
    ) { $0.surroundings.kernel.secretMemory = EPERM },
    FindingRow("secret-memory-limit", 1, "may lock too little memory") {
      $0.surroundings.kernel.secretMemory = EAGAIN
    },
    FindingRow("landlock-missing", 1, "The kernel has no landlock") {
      $0.surroundings.kernel.hasLandlock = false
    },
    FindingRow("seccomp-missing", 1, "The kernel has no seccomp filters") {
      try $0.remove("/proc/sys/kernel/seccomp/actions_avail")
    },
    FindingRow("swap-unencrypted", 3, "Swap at /dev/sda2 is not encrypted") { host in
      try host.append(
        "/proc/swaps",
        "/dev/dm-1 partition 999 0 -2\n/dev/zram0 partition 999 0 -2\n/dev/sda2 partition 999 0 -2\n"
      )
      try host.write("/sys/block/dm-1/dm/uuid", "CRYPT-PLAIN-swap\n")
    },
    FindingRow("core-pattern", 3, "is dumped to /usr/lib/systemd/systemd-coredump") {
      try $0.write("/proc/sys/kernel/core_pattern", "|/usr/lib/systemd/systemd-coredump %P %u\n")
    },
    FindingRow("dumpable-setuid", 3, "fs.suid_dumpable is 1") {
      try $0.write("/proc/sys/fs/suid_dumpable", "1\n")
    },
    FindingRow("ptrace-scope", 3, "kernel.yama.ptrace_scope is 0") {
      try $0.write("/proc/sys/kernel/yama/ptrace_scope", "0\n")
    },
    FindingRow("copy-capability", 3, "User 998 runs profiler with CAP_SYS_PTRACE, CAP_PERFMON, so")
    { host in
      try host.process(812, "profiler", user: 998, capabilities: "0000004000080000")
      // Twice the same, root's, without any, in a user namespace, and with one that does not
      // suffice.
      try host.process(813, "profiler", user: 998, capabilities: "0000004000080000")
      try host.process(1, "systemd", user: 0, capabilities: "000001ffffffffff")
      try host.process(900, "till", user: 1010, capabilities: "0000000000000400")
      try host.process(
        901, "browser", user: 1000, capabilities: "000001ffffffffff", map: "0 1000 1")
      try host.process(902, "tracer", user: 1000, capabilities: "0000008000000000")
    },
  ]

  static let logRows: [FindingRow] = [
    FindingRow("log-missing", 1, "knows of 3 records") {
      try $0.remove(log + "/00000000000000000000.log")
    },
    FindingRow("log-cut", 1, "The log has 3 records, and a checkpoint of it says that there were 9")
    { host in try host.write { $0.keptSize = 9 } },
    FindingRow("log-origin", 1, "The log is that of other.example/kist") { host in
      try host.write { $0.origin = "other.example/kist" }
    },
    FindingRow("log-rotated", 1, "logrotate moves the log's segments by /var/log/*/*/*.log") {
      host in
      try host.write(
        "/etc/logrotate.d/all",
        "/var/log/syslog /var/log/*.log \"/var/log/*/*/*.log\" {\n  weekly\n  postrotate\n  /var/log/kist/audit/x {\n}\n}\n"
      )
    },
    FindingRow("log-unreadable", 1, "The log cannot be read", others: ["file-kind"]) { host in
      try host.remove(log + "/00000000000000000000.log")
      try FileManager.default.createDirectory(
        atPath: host.root + log + "/00000000000000000000.log", withIntermediateDirectories: false)
    },
    FindingRow(
      "backup-stale", 3,
      "merchant/acme/processing-2027 changed on 2026-11-20, and the last backup is of 2026-11-14"
    ) { host in
      try host.write {
        $0.lines.append(
          .init(
            operation: "generate-key", label: "merchant/acme/processing-2027", time: TestLog.day(-2)
          ))
      }
    },
    FindingRow("drill-stale", 3, "No backup was tried for more than 366 days") { host in
      try host.write { log in
        log.lines[0] = .init(operation: "start", result: nil, time: TestLog.day(-400))
        log.lines.append(.init(operation: "review-log", time: TestLog.day(-5)))
      }
    },
    FindingRow("review-stale", 3, "Nobody has signed off a review of the log for more than 31 days")
    { host in
      try host.write {
        $0.lines[0] = .init(operation: "start", result: nil, time: TestLog.day(-40))
      }
    },
    // Signed off while the clock was ahead, and nothing since.
    FindingRow("review-stale", 3, "Nobody has signed off a review of the log for more than 31 days")
    { host in
      try host.write { log in
        log.lines[0] = .init(operation: "start", result: nil, time: TestLog.day(-40))
        log.lines.append(.init(operation: "review-log", time: TestLog.day(400)))
        log.lines.append(.init(operation: "stop", result: nil, time: TestLog.day(-1)))
      }
    },
    FindingRow("witness-missing", 3, "No witness has signed the checkpoint") { host in
      host.surroundings.checkpoints = [.init("kept.checkpoint", try TestLog().checkpoint())]
    },
    FindingRow("witness-stale", 3, "The last witness signed 20 days ago") { host in
      host.surroundings.checkpoints = [
        .init("kept.checkpoint", try TestLog().checkpoint(witnessed: TestLog.day(-20)))
      ]
    },
  ]
}

extension FalseHost {
  fileprivate func process(
    _ number: Int, _ name: String, user: Int, capabilities: String, map: String = "0 0 4294967295"
  ) throws {
    let lines = [
      "Name:\t\(name)", "Uid:\t\(user)\t\(user)\t\(user)\t\(user)", "CapPrm:\t\(capabilities)",
      "CapEff:\t\(capabilities)",
    ]
    try write("/proc/\(number)/status", lines.joined(separator: "\n") + "\n")
    try write("/proc/\(number)/uid_map", map + "\n")
  }

  /// Has the log say which configuration the daemon took last.
  func take(_ what: String, _ digest: String) throws {
    try write {
      $0.lines.append(
        .init(operation: "\(what)-swap", result: nil, event: ("to", digest), time: TestLog.day(-1)))
    }
  }

  /// Writes the log anew, changed.
  fileprivate func write(_ change: (inout TestLog) -> Void) throws {
    var log = TestLog()
    change(&log)
    try log.write(to: root)
  }
}
