import Audit
import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

/// A machine with a disk in memory, on which ceremonies are held.
struct TestRoom {
  let disk: SimulatedDisk
  let host: CeremonyHost
  static let path = "/ceremony"
  /// What is loaded into the program, as plans for tests have it.
  static let software = [("/usr/bin/kist", "ab"), ("/usr/lib/libc.so.6", "cd")]

  init(
    _ disk: SimulatedDisk? = nil, conditions: [HostCondition] = [],
    software: [(String, String)] = Self.software, foreign: Set<String> = [],
    exposed: Set<String> = []
  ) throws {
    try #require(TestArena.ready)
    if let disk {
      self.disk = disk
    } else {
      self.disk = SimulatedDisk()
      for path in ["/state", "/media"] { try self.disk.makeDirectory(path, mode: 0o700) }
      try self.disk.syncDirectory("/")
    }
    let boot = try #require(BootID(String(repeating: "0", count: 32)))
    let software = software.map {
      LoadedFile(path: $0, digest: Digest256(hex: String(repeating: $1, count: 32)))
    }
    host = CeremonyHost(
      boot: boot, clock: { Timestamp(seconds: 1_796_119_200) }, software: software,
      conditions: { conditions }, isOwn: { !foreign.contains($0) },
      isExposed: { exposed.contains($0) })
  }

  func directory(_ path: String = path) -> CeremonyDirectory { CeremonyDirectory(path, on: disk) }

  @discardableResult func run(
    _ plan: TestPlan, _ desk: ScriptedDesk = ScriptedDesk(), rehearsal: StorePlace? = nil,
    in path: String = path
  ) throws
    -> ScriptedDesk
  {
    try CeremonyRun.begin(plan.decoded(), rehearsal: rehearsal, in: directory(path), desk, host)
    return desk
  }

  @discardableResult func resume(_ desk: ScriptedDesk) throws -> ScriptedDesk {
    desk.mark = desk.mark ?? (try? TranscriptReading(directory()))?.paper.newest?.digits
    try CeremonyRun.resume(directory(), desk, host)
    return desk
  }

  func verdict(_ path: String = path) throws -> CeremonyVerdict {
    try CeremonyVerdict(directory(path))
  }
}
