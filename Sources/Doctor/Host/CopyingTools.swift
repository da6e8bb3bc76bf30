import Configuration
import Format
import Glibc
import Host

/// With what the kernel can be made to copy memory that nobody can read: docs/THREATS.md, "What
/// root's tools can do".
package struct CopyingTools {
  private let root: String

  /// - Parameter root: stands in front of every path; empty on a real host.
  package init(below root: String = "") { self.root = root }

  /// A program, and a user of it who is not root.
  struct Holder: Hashable {
    let program, user, capabilities: String
  }

  /// Those with a capability that is enough, in order; processes in user namespaces have theirs
  /// only there.
  var holders: [Holder] {
    let processes = ((try? LinuxDisk().list(root + "/proc")) ?? []).filter {
      $0.allSatisfy(\.isNumber)
    }
    let found = processes.compactMap { number -> Holder? in
      guard let lines = text("/proc/\(number)/status")?.lines() else { return nil }
      func value(_ name: String) -> Substring? {
        lines.first { $0.hasPrefix(name + ":\t") }?.dropFirst(name.utf8.count + 2).prefix {
          $0 != "\t"
        }
      }
      guard let user = value("Uid"), user != "0",
        let bits = value("CapPrm").flatMap({ UInt64($0, radix: 16) })
      else { return nil }
      let held = Self.enough.filter { bits >> $0.bit & 1 == 1 }.map(\.name)
      guard !held.isEmpty, isAtHome(number) else { return nil }
      return Holder(
        program: String(value("Name") ?? "?"), user: String(user),
        capabilities: held.joined(separator: ", "))
    }
    return Set(found).sorted { ($0.program, $0.user) < ($1.program, $1.user) }
  }

  /// What `kist status --memory` says of this machine.
  package var rows: [[String]] {
    let hasPerf = text("/proc/sys/kernel/perf_event_paranoid") != nil
    let modules = text("/sys/kernel/security/lsm").map { String($0.prefix { $0 != "\n" }) }
    let others = holders.map { "\($0.program) of user \($0.user)" }.joined(separator: ", ")
    return [
      [
        "perf",
        hasPerf ? "in this kernel: root can sample the stacks of operations" : "not in this kernel",
      ],
      ["who else can", others.isEmpty ? "nobody seen" : Printable.line(others)],
      ["security modules", modules ?? "unknown (/sys/kernel/security is not mounted)"],
    ]
  }

  /// Each alone lets its holder sample another's stack: seen for each, on Linux 6.18. CAP_BPF does
  /// not.
  private static let enough: [(bit: Int, name: String)] = [
    (19, "CAP_SYS_PTRACE"), (21, "CAP_SYS_ADMIN"), (38, "CAP_PERFMON"),
  ]

  private func isAtHome(_ process: String) -> Bool {
    let first = text("/proc/\(process)/uid_map")?.split(whereSeparator: \.isWhitespace)
    return first.map { $0 == ["0", "0", "4294967295"] } ?? true
  }

  private func text(_ path: String) -> String? {
    (try? TextFile.read(root + path)).map { String(decoding: $0, as: UTF8.self) }
  }
}
