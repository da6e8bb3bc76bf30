import CLinux
import Foundation
import Glibc
import Host
@testable import Server
import Testing

/// The filter itself, in a process of its own: what serving needs goes on, and everything else ends
/// it.
@Suite struct SystemCallFilterTests {
  enum Forbidden: String, CaseIterable, Codable, Sendable {
    case socket, connect, listen, program, process, executableMapping, executablePages, killAnother,
      datagramElsewhere, dumpable, chmod, link
    case identity, pipe, duplicate, root, limit, setUserID, setGroupID, setIDByDescriptor,
      setIDByName, device, mask

    func attempt() {
      switch self {
      case .socket: _ = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      case .connect: _ = unsafe kist_connect_unix(0, "/nowhere")
      case .listen: _ = Glibc.listen(0, 1)
      case .program: _ = unsafe execv("/bin/true", [nil])
      case .process: _ = unsafe posix_spawn(nil, "/bin/true", nil, nil, [nil], [nil])
      case .executableMapping:
        _ = unsafe mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      case .executablePages:
        let page = unsafe mmap(
          nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        _ = unsafe mprotect(page, 4096, PROT_READ | PROT_EXEC)
      case .killAnother: kill(getppid(), 0)
      case .datagramElsewhere:
        var address = sockaddr()
        _ = unsafe sendto(0, [0], 1, 0, &address, socklen_t(MemoryLayout<sockaddr>.size))
      case .dumpable: _ = kist_set_dumpable(1)
      case .chmod: _ = unsafe Glibc.chmod("/tmp", 0o777)
      case .link: _ = unsafe symlink("/tmp", "/tmp/kist-link")
      case .identity: _ = setuid(0)
      case .pipe:
        var ends: [Int32] = [0, 0]
        _ = unsafe Glibc.pipe(&ends)
      case .duplicate: _ = dup(0)
      case .root: _ = unsafe chroot("/tmp")
      case .limit: _ = kist_disable_core_dumps()
      case .setUserID: _ = unsafe open("/tmp/kist-set-id", O_CREAT | O_WRONLY, 0o4755)
      // O_TMPFILE.
      case .setGroupID:
        _ = unsafe openat(AT_FDCWD, "/tmp", 0o20_000_000 | O_DIRECTORY | O_WRONLY, 0o2600)
      case .setIDByDescriptor: _ = fchmod(0, 0o4755)
      case .setIDByName: _ = unsafe fchmodat(AT_FDCWD, "/tmp/kist-set-id", 0o4755, 0)
      case .device: _ = unsafe mknod("/tmp/kist-set-id", S_IFREG | 0o4755, 0)
      case .mask: _ = umask(0)
      }
    }
  }

  @Test("a call that serving does not need ends the process", arguments: Forbidden.allCases)
  func kills(_ forbidden: Forbidden) async {
    await #expect(processExitsWith: .signal(SIGSYS)) { [forbidden = forbidden as Forbidden] in
      guard kist_no_new_privileges() == 0, (try? SystemCallFilter.load()) != nil else { _exit(3) }
      forbidden.attempt()
      _exit(4)
    }
  }

  @Test("what serving needs goes on: files, memory, threads, time, randomness, abort's own signal")
  func allows() async {
    let name = "/tmp/kist-filter-\(UUID().uuidString)"
    await #expect(processExitsWith: .signal(SIGABRT)) { [name = name as String] in
      guard kist_no_new_privileges() == 0, SystemCallFilter.mode == 0 else { _exit(3) }
      do throws(SystemCallFilter.Failure) { try SystemCallFilter.load() } catch { _exit(4) }
      guard SystemCallFilter.mode == 2 else { _exit(5) }
      let block = [UInt8](repeating: 1, count: 64 << 20)
      guard (block + block).count == 128 << 20 else { _exit(6) }
      let count = Handover<Int>()
      guard Thread.start({ count.give([UInt8](repeating: 1, count: 1 << 20).count) }),
        count.take() == 1 << 20
      else { _exit(8) }
      let disk = LinuxDisk()
      let file = try disk.open(name, .create(mode: 0o600))
      try disk.write(file, [1, 2, 3].span, at: 0)
      try disk.syncData(file)
      try disk.truncate(file, to: 0)
      disk.close(file)
      try disk.rename(name, to: name + "-2")
      try disk.remove(name + "-2")
      // Linux gives a directory neither bit.
      let directory = name + "-3"
      guard unsafe mkdir(directory, 0o6700) == 0 else { _exit(10) }
      var made = stat()
      guard unsafe stat(directory, &made) == 0, made.st_mode & 0o6000 == 0 else { _exit(11) }
      guard try !disk.list("/tmp").isEmpty, kist_dumpable() >= 0 else { _exit(9) }
      abort()
    }
  }
}
