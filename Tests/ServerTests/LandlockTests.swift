import CLinux
import Foundation
import Glibc
import Host
@testable import Server
import Testing

/// Landlock in a process of its own: what was allowed works in the way it was allowed, and nothing
/// else is there.
@Suite(.enabled(if: Landlock.version != nil, "needs a kernel with landlock")) struct LandlockTests {
  @Test(
    "a kept directory can be worked in, a read one only read, and anything else cannot be opened")
  func confines() async {
    // By a number of the process it could be one that an earlier run left.
    let base = "/tmp/kist-landlock-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: base) }
    await #expect(processExitsWith: .exitCode(0)) { [base = base as String] in
      let disk = LinuxDisk()
      for name in ["", "/kept", "/read", "/sockets", "/other"] {
        try disk.makeDirectory(base + name, mode: 0o700)
      }
      for name in ["/read/r", "/sockets/s", "/other/o"] {
        disk.close(try disk.open(base + name, .create(mode: 0o600)))
      }
      var places = Landlock()
      places.allow(base + "/kept", [.read, .list, .keep])
      places.allow(base + "/read", [.read])
      places.allow(base + "/sockets", [.removeFiles])
      guard kist_no_new_privileges() == 0 else { _exit(3) }
      try places.confine()

      let file = try disk.open(base + "/kept/a", .create(mode: 0o600))
      try disk.truncate(file, to: 10)
      try disk.rename(base + "/kept/a", to: base + "/kept/b")
      try disk.makeDirectory(base + "/kept/torn", mode: 0o700)
      guard try disk.list(base + "/kept") == ["b", "torn"] else { _exit(4) }
      try disk.remove(base + "/kept/b")
      disk.close(try disk.open(base + "/read/r", .read))
      try disk.remove(base + "/sockets/s")

      guard refused({ () throws(DiskError) in _ = try disk.open(base + "/read/r", .update) }) else {
        _exit(10)
      }
      guard
        refused({ () throws(DiskError) in
          _ = try disk.open(base + "/read/new", .create(mode: 0o600))
        })
      else { _exit(11) }
      guard refused({ () throws(DiskError) in try disk.remove(base + "/read/r") }) else {
        _exit(12)
      }
      guard refused({ () throws(DiskError) in _ = try disk.list(base + "/read") }) else {
        _exit(13)
      }
      for path in [base + "/other/o", "/etc/hostname", "/proc/self/status", "/dev/null"] {
        guard refused({ () throws(DiskError) in _ = try disk.open(path, .read) }) else { _exit(14) }
      }
      _exit(0)
    }
  }

  @Test("a place that is not there is named") func unreachable() async {
    await #expect(processExitsWith: .exitCode(0)) {
      var places = Landlock()
      places.allow("/no/such/place", .read)
      do throws(Landlock.Failure) { try places.confine() } catch {
        _exit(error == .unreachable("/no/such/place", ENOENT) ? 0 : 2)
      }
      _exit(1)
    }
  }
}

private func refused(_ body: () throws(DiskError) -> Void) -> Bool {
  do throws(DiskError) {
    try body()
    return false
  } catch { return error.errno == EACCES }
}
