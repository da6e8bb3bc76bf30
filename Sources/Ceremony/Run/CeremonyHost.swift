package import Audit
package import Crypto
package import Format

/// The machine that a ceremony runs on.
package struct CeremonyHost: Sendable {
  package let boot: BootID
  package let clock: @Sendable () -> Timestamp
  /// Every file that the running program has code from, in ascending order of path.
  package let software: [LoadedFile]
  /// Conditions of the machine that are not as they should be.
  package let conditions: @Sendable () -> [HostCondition]

  /// Whether a path belongs to the user who runs this.
  package let isOwn: @Sendable (_ path: String) -> Bool
  /// Whether anybody other than this user and root can write to a directory, or change the path to
  /// it.
  package let isExposed: @Sendable (_ path: String) -> Bool

  package init(
    boot: BootID, clock: @escaping @Sendable () -> Timestamp, software: [LoadedFile],
    conditions: @escaping @Sendable () -> [HostCondition],
    isOwn: @escaping @Sendable (String) -> Bool, isExposed: @escaping @Sendable (String) -> Bool
  ) {
    self.boot = boot
    self.clock = clock
    self.software = software
    self.conditions = conditions
    self.isOwn = isOwn
    self.isExposed = isExposed
  }
}

/// A file that code is loaded from: the program, or a library that it uses.
package struct LoadedFile: Hashable, Sendable {
  package let path: String
  /// SHA-256; nil where it cannot be read.
  package let digest: Digest256?

  package init(path: String, digest: Digest256?) {
    self.path = path
    self.digest = digest
  }

  /// From a line of `sha256sum`: 64 digits, two blanks and an absolute path.
  package init?(line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].isEmpty, let digest = Digest256(hex: String(parts[0])),
      digest.hex == parts[0], parts[2].hasPrefix("/"),
      Printable.isLine(line), line.utf8.count <= 512
    else { return nil }
    self.init(path: String(parts[2]), digest: digest)
  }

  /// As the record and the script have it.
  package var value: String { digest?.hex ?? "cannot be read" }
}

/// A reason not to hold a ceremony on a machine; each can be accepted, on the record.
package enum HostCondition: Hashable, Sendable {
  /// Memory can be written to a disk.
  case swap
  /// A crash of this program could leave its memory in a file.
  case coreDumps
  /// The machine can reach a network through this interface.
  case route(interface: String)
  /// The kernel's files in `/proc` could not be read.
  case unknown
  /// The program or a library is not the one that was reviewed; each text names a file and what
  /// differs.
  case software([String])
  /// The program has code mapped from this file, which others than root can write.
  case code(file: String)
  /// It is not the file's day anywhere on earth, so the clock, which gives every record its time,
  /// may be wrong.
  case date(clock: String)
  /// The daemon's configuration on this machine gives the audit log another name, this one; nil if
  /// it cannot be read.
  case auditOrigin(String?)
  /// The policy files are not the ones that were reviewed, or cannot be read.
  case policy

  package var text: String {
    switch self {
    case .swap: "swap is on: secrets could reach a disk (swapoff -a)"
    case .coreDumps: "core dumps are on: a crash could leave secrets in a file (ulimit -c 0)"
    case .route(let interface):
      "the interface \(interface) is up and has a route: unplug it, or ip link set \(interface) down"
    case .unknown: "whether swap is on or a network is up cannot be seen in /proc"
    case .code(let file):
      "\(file) is loaded into this program, and users other than root can change it: stop, and find out why"
    case .software(let found):
      "what is loaded into this program is not what the file has: " + found.joined(separator: "; ")
    case .date(let clock):
      "the clock says \(clock), and the file another day: set the clock, or say why the ceremony is held today"
    case .auditOrigin(nil):
      "the daemon's configuration is on this machine and cannot be read: see kistd --check-config"
    case .auditOrigin(.some(let origin)):
      "the daemon's configuration calls the audit log \(origin), and the file another name"
    case .policy:
      "the policy files' SHA-256 is not the one in the file, or they cannot be read: see kist policy check"
    }
  }
}

extension HostCondition {
  /// Reads the text of `/proc/swaps`: a heading, then a line for each area.
  package static func swap(_ text: String) -> [HostCondition] {
    text.lines().count > 1 ? [.swap] : []
  }

  /// Reads the texts of `/proc/net/route` and `/proc/net/ipv6_route`.
  ///
  /// The loopback interface does not count, nor do link-local addresses without a peer.
  package static func routes(ipv4: String, ipv6: String) -> [HostCondition] {
    let fourth = ipv4.lines().dropFirst().compactMap { line -> String? in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 3, let flags = UInt32(fields[3], radix: 16), flags & isUp != 0,
        fields[0] != "lo"
      else { return nil }
      return String(fields[0])
    }
    let sixth = ipv6.lines().compactMap { line -> String? in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 9, let flags = UInt32(fields[8], radix: 16), flags & isUp != 0,
        flags & isReject == 0, fields[9] != "lo"
      else { return nil }
      return fields[0].hasPrefix("fe80") || fields[0].hasPrefix("ff") ? nil : String(fields[9])
    }
    return Set(fourth + sixth).sorted().map { .route(interface: $0) }
  }

  /// Reads the text of `/proc/self/maps`: the files from which code is mapped, each once.
  package static func code(_ maps: String) -> [String] {
    let files = maps.lines().compactMap { line -> String? in
      // Range, rights, offset, device, inode, path; a path may have spaces.
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].contains("x") else { return nil }
      let path = fields[5].drop { $0 == " " }
      return path.hasPrefix("/") ? String(path) : nil
    }
    return Set(files).sorted()
  }

  /// Every file that is loaded and not planned, planned and not loaded, or another than was
  /// planned.
  static func software(_ loaded: [LoadedFile], planned: [LoadedFile]) -> [HostCondition] {
    let found = loaded.compactMap { file -> String? in
      guard let plan = planned.first(where: { $0.path == file.path }) else {
        return "\(file.path) is not in the file"
      }
      return plan == file ? nil : "\(file.path) is another: \(file.value)"
    }
    let absent = planned.filter { plan in !loaded.contains { $0.path == plan.path } }.map {
      "\($0.path) is not loaded"
    }
    return found + absent == [] ? [] : [.software(found + absent)]
  }

  /// - Parameter day: such as `2026-12-01`.
  static func date(_ day: String, _ now: Timestamp) -> [HostCondition] {
    guard let start = Timestamp(day + "T00:00:00Z") else { return [] }
    // Days begin 14 hours before UTC's in Kiribati, and end 12 hours after it on Baker Island.
    let isThatDay =
      start.adding(seconds: -14 * 3600) <= now && now < start.adding(seconds: 36 * 3600)
    return isThatDay ? [] : [.date(clock: now.wholeSeconds)]
  }

  /// RTF_UP and RTF_REJECT of linux/route.h.
  private static let (isUp, isReject): (UInt32, UInt32) = (0x1, 0x200)
}
