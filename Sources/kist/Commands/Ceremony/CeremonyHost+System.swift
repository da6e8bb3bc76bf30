import Audit
import CLinux
import Ceremony
import Configuration
import Crypto
import Format
import Glibc
import Host
import Policy

extension CeremonyHost {
  /// This machine, for this plan.
  ///
  /// - Parameter configuration: the daemon's, if it was named; otherwise the one at the usual
  ///   place, if there is one.
  static func system(for plan: CeremonyPlan, _ configuration: String?) throws(CommandFailure)
    -> CeremonyHost
  {
    guard let boot = proc("/proc/sys/kernel/random/boot_id").flatMap({ BootID($0) }) else {
      throw .failed("/proc/sys/kernel/random/boot_id cannot be read")
    }
    let policy = plan.policy
    return CeremonyHost(
      boot: boot, clock: { .now }, software: try loadedFiles(),
      conditions: { conditions(policy) + auditOrigin(plan.auditOrigin, configuration) },
      isOwn: OwnPath.isOwn, isExposed: OwnPath.isExposed)
  }

  private static func conditions(_ policy: ReviewedPolicy?) -> [HostCondition] {
    var found: [HostCondition] = []
    if let swaps = proc("/proc/swaps"), let routes = proc("/proc/net/route") {
      // Without IPv6 in the kernel this file does not exist.
      found +=
        HostCondition.swap(swaps)
        + HostCondition.routes(ipv4: routes, ipv6: proc("/proc/net/ipv6_route") ?? "")
    } else {
      found.append(.unknown)
    }
    if kist_dumpable() != 0 || kist_may_dump_core() != 0 { found.append(.coreDumps) }
    found += strangeCode()
    if let policy, !isAsReviewed(policy) { found.append(.policy) }
    return found
  }

  /// The log that begins with this ceremony must have the name that the daemon's configuration
  /// gives it.
  private static func auditOrigin(_ planned: String?, _ named: String?) -> [HostCondition] {
    guard let planned else { return [] }
    let path = named ?? DaemonConfiguration.defaultPath
    guard unsafe named != nil || access(path, F_OK) == 0 else { return [] }
    guard let found = try? DaemonConfiguration.load(path).audit.origin else {
      return [.auditOrigin(nil)]
    }
    return found == planned ? [] : [.auditOrigin(found)]
  }

  /// Libraries that others than root could have written; the program itself is checked by its
  /// SHA-256.
  private static func strangeCode() -> [HostCondition] {
    guard let maps = proc("/proc/self/maps"), let program = unsafe realpath("/proc/self/exe", nil)
    else { return [.unknown] }
    defer { unsafe free(program) }
    let own = unsafe String(cString: program)
    return HostCondition.code(maps).filter { $0 != own && !isRootsAlone($0) }.map {
      .code(file: $0)
    }
  }

  private static func isRootsAlone(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o022 == 0
  }

  private static func isAsReviewed(_ reviewed: ReviewedPolicy) -> Bool {
    guard let policy = try? PolicyDirectory.load(reviewed.directory) else { return false }
    return policy.digest == reviewed.digest
  }

  private static func proc(_ path: String) -> String? {
    (try? TextFile.read(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The program and its libraries, as their files are now.
  private static func loadedFiles() throws(CommandFailure) -> [LoadedFile] {
    guard let maps = proc("/proc/self/maps") else {
      throw .failed("/proc/self/maps cannot be read")
    }
    return HostCondition.code(maps).map { LoadedFile(path: $0, digest: digest(of: $0)) }
  }

  private static func digest(of path: String) -> Digest256? {
    do throws(DiskError) {
      let file = try File(path, .read, on: LinuxDisk())
      var hasher = SHA256.Hasher()
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var offset = 0
      while true {
        var span = buffer.mutableSpan
        let count = try file.read(into: &span, at: offset)
        hasher.update(buffer.span.extracting(first: count))
        offset += count
        if count < buffer.count { return hasher.finish() }
      }
    } catch { return nil }
  }
}

/// Who owns a path, and who else could change it.
enum OwnPath {
  static func isOwn(_ path: String) -> Bool { status(path)?.st_uid == geteuid() }

  /// Whether a directory is not this user's, or others can write to it or change the path to it.
  ///
  /// A sticky directory such as `/tmp` is safe on the path to something that root or this user
  /// owns.
  static func isExposed(_ path: String) -> Bool {
    guard let real = unsafe realpath(path, nil) else { return true }
    defer { unsafe free(real) }
    var place = unsafe String(cString: real)
    guard isOwn(place) else { return true }
    var isSafeInSticky = false
    while let status = status(place) {
      guard status.st_uid == 0 || status.st_uid == geteuid() else { return true }
      let isWritable = status.st_mode & (S_IWGRP | S_IWOTH) != 0
      guard !isWritable || isSafeInSticky && status.st_mode & S_ISVTX != 0 else { return true }
      guard place != "/", let slash = place.lastIndex(of: "/") else { return false }
      place = slash == place.startIndex ? "/" : String(place[..<slash])
      isSafeInSticky = true
    }
    return true
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
