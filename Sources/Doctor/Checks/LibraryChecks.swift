internal import Format

/// Whether the daemon runs with libraries that were replaced since it started.
let libraryChecks: [CheckUp.Check] = [checkLibraries]

@Sendable private func checkLibraries(_ host: Host) -> [Finding] {
  guard let started = host.surroundings.daemonStarted else { return [] }
  let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
  let paths = folders.flatMap { folder in ["libcrypto.so.3", "libsodium.so.23", "libseccomp.so.2"].map { "\(folder)/\($0)" } }
  return paths.compactMap { path in
    guard case .there(let facts) = host.surroundings.look(at: path), facts.changed > started else { return nil }
    return Finding(
      .libraryReplaced, path, "\(path) was replaced, and kistd runs with the one of before.", cure: "Restart kistd when somebody is there to unlock it.")
  }
}

extension Surroundings {
  /// When the oldest kistd that runs was started, in seconds since 1970; nil if none does.
  fileprivate var daemonStarted: Int64? {
    let boot = (text("/proc/stat") ?? "").lines().first { $0.hasPrefix("btime ") }.flatMap { Int64($0.dropFirst(6)) }
    guard let boot else { return nil }
    let starts = names(in: "/proc").filter { $0.allSatisfy(\.isNumber) }.compactMap { number -> Int64? in
      // proc(5): the name in parentheses, then from the third field on; the 22nd is the start in hundredths of a second.
      guard let text = text("/proc/\(number)/stat"), text.contains("(kistd) ") else { return nil }
      let fields = text.split(separator: ") ").last?.split(separator: " ") ?? []
      return fields.count > 19 ? Int64(fields[19]).map { boot + $0 / 100 } : nil
    }
    return starts.min()
  }
}
