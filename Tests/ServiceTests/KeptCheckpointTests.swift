import Audit
import Ceremony
import Crypto
import Format
import KeyStore
import Policy
import Review
import Service
import ServiceHarness
import TestSupport
import Testing

/// The checkpoint beside the key store: a log that was cut after a kill does not open.
@Suite struct KeptCheckpointTests {
  private static let file = "/state/audit.checkpoint"

  /// What is to be done later, done when the test says so.
  private final class Later: Sendable {
    private let actions = Locked<[@Sendable () -> Void]>([])

    func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

    /// How many there were.
    @discardableResult func run() -> Int {
      let due = actions.withLock { actions in
        defer { actions = [] }
        return actions
      }
      for action in due { action() }
      return due.count
    }
  }

  private func log(_ disk: SimulatedDisk) throws -> String {
    "/audit/" + (try #require(try disk.list("/audit").last { $0.hasSuffix(".log") }))
  }

  /// A log of so many requests that was killed; the checkpoint was written after the first of them,
  /// and again in time.
  private func killed(after requests: Int, on disk: SimulatedDisk? = nil, isKept: Bool = true)
    throws -> SimulatedDisk
  {
    let later = Later()
    let test = try TestService(on: disk, adjust: { $0.after = { _, action in later.add(action) } })
    try test.unlock()
    for _ in 0..<requests { #expect(try test.status(.random, body: ServiceTests.random) == .ok) }
    // However many records there were, one write was waited for.
    if isKept { #expect(later.run() == 1) }
    return test.disk.afterCrash(.losesUnsynced)
  }

  /// Takes the last records with their checkpoints off the log.
  private func cut(_ count: Int, _ disk: SimulatedDisk) throws {
    let path = try log(disk)
    var lines = String(
      decoding: try #require(disk.contents(path)).filter { $0 != 0 }, as: UTF8.self
    ).split(separator: "\n", omittingEmptySubsequences: false)
    for _ in 0..<count {
      lines = Array(lines[..<(try #require(lines.lastIndex { $0.hasPrefix("{") }))])
    }
    // As a file that was cut, with space behind.
    disk.plant(
      path, Array((lines.joined(separator: "\n") + "\n").utf8) + [UInt8](repeating: 0, count: 4096))
  }

  @Test("[AUD-OPEN-4] a log cut by one record or by twenty does not open", arguments: [1, 20])
  func aLogThatWasCut(_ count: Int) throws {
    let disk = try killed(after: 30)
    try cut(count, disk)
    let size = UInt64(30 + 3 - count)
    let again = try TestService(on: disk)
    #expect { try again.unlock() } throws: {
      ($0 as? UnlockError) == .audit(.truncated(size: size, expected: 33))
    }
  }

  @Test(
    "[AUD-OPEN-4] nor does it beside a store that was restored from a copy that knows of no log")
  func aLogThatWasCutBesideAnOldCopy() throws {
    let made = try TestService.newDisk()
    let copy = try LockedKeyStore.open("/state/keys", on: made).unlock(
      kek: TestService.secret(TestService.kek), expecting: .rehearsal
    )
    .copy(to: "copy", in: "/state")
    for count in [0, 20] {
      let disk = try killed(after: 30, on: made.afterCrash(.keepsUnsynced))
      for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
      disk.unplant("/state/keys")
      try StoreCopy("/state/copy", on: disk).restore(
        to: "keys", in: "/state", digest: copy.digest, at: TestService.start)
      try cut(count, disk)
      let again = try TestService(
        on: disk, adjust: { $0.configuration.backup.restored = copy.digest.hex })
      guard count > 0 else {
        try again.unlock()
        continue
      }
      #expect { try again.unlock() } throws: {
        ($0 as? UnlockError) == .audit(.truncated(size: 13, expected: 33))
      }
    }
  }

  @Test("[AUD-OPEN-4] without its write in time the same would open: the test cuts what it says")
  func theTestCuts() throws {
    let disk = try killed(after: 30, isKept: false)
    try cut(20, disk)
    try TestService(on: disk).unlock()
  }

  @Test("a log that was not cut opens after every kill") func aLogThatWasNot() throws {
    var disk = try killed(after: 3)
    for _ in 0..<3 {
      let test = try TestService(on: disk)
      try test.unlock()
      #expect(try test.status(.random, body: ServiceTests.random) == .ok)
      disk = test.disk.afterCrash(.losesUnsynced)
    }
  }

  @Test(
    "[AUD-OPEN-6] absent, empty, torn or another log's: refused by name, and made anew by who has checked the log"
  )
  func theFileIsNotTheirs() throws {
    let disk = try killed(after: 3)
    let good = try #require(disk.contents(Self.file))
    let other = try killed(after: 5)
    for (bytes, fault) in [
      (nil, .absent), ([], .foreign), (Array(good.dropLast(9)), .foreign),
      (other.contents(Self.file), .foreign),
    ]
      as [([UInt8]?, KeptCheckpointFault)]
    {
      let copy = disk.afterCrash(.keepsUnsynced)
      if let bytes { copy.plant(Self.file, bytes) } else { copy.unplant(Self.file) }
      let before = copy.contents(try log(copy))
      #expect { try TestService(on: copy).unlock() } throws: {
        ($0 as? UnlockError) == .keptCheckpoint(fault)
      }
      #expect(copy.contents(try log(copy)) == before, "nothing was changed")
      // As `kist audit checkpoint` prints it.
      copy.plant(
        Self.file,
        try #require(try LogReader(LogDirectory("/audit", on: copy)).newestCheckpoint()).note)
      try TestService(on: copy).unlock()
    }
  }

  @Test("a first unlocking that was cut off anywhere is made good by the next")
  func firstUnlocking() throws {
    var call = 0
    while true {
      let test = try TestService()
      let place = test.disk.changingCalls + call
      test.disk.fail(call: place, .notDone, errno: 5)
      try? test.unlock()
      #expect(throws: Never.self, "call \(call)") {
        try TestService(on: test.disk.afterCrash(.losesUnsynced)).unlock()
      }
      guard test.disk.changingCalls > place else { break }
      call += 1
    }
    #expect(call > 10)
  }

  @Test("a log that is gone does not begin anew") func theLogIsGone() throws {
    let disk = try killed(after: 3)
    for name in try disk.list("/audit") { disk.unplant("/audit/" + name) }
    #expect { try TestService(on: disk).unlock() } throws: {
      ($0 as? UnlockError) == .audit(.truncated(size: 0, expected: 6))
    }
  }

  @Test("a checkpoint that cannot be written is reported, tried again, and stops nothing")
  func aFullStateDirectory() throws {
    let later = Later()
    let failures = Locked(0)
    let test = try TestService(adjust: {
      $0.after = { _, action in later.add(action) }
      $0.report = { if case .checkpointNotKept = $0 { failures.withLock { $0 += 1 } } }
    })
    try test.unlock()
    #expect(try test.status(.random, body: ServiceTests.random) == .ok)
    test.disk.fail(call: test.disk.changingCalls, .notDone, errno: 28)
    later.run()
    #expect(failures.withLock { $0 } == 1)
    #expect(try test.status(.random, body: ServiceTests.random) == .ok)
    #expect(later.run() == 1 && failures.withLock { $0 } == 1)
    let kept = String(decoding: try #require(test.disk.contents(Self.file)), as: UTF8.self)
    #expect(kept.split(separator: "\n")[1] == "5")
  }

  @Test("refusals while locked survive a stop, and a kill a second later") func refusalsSurvive()
    throws
  {
    let later = Later()
    let test = try TestService(adjust: { $0.after = { _, action in later.add(action) } })
    for _ in 0..<3 { #expect(try test.status(.status) == .denied) }
    #expect(later.run() == 1)
    let killed = try TestService(on: test.disk.afterCrash(.losesUnsynced))
    for _ in 0..<2 { #expect(try killed.status(.status) == .denied) }
    #expect(killed.service.stop())
    let again = try TestService(on: killed.disk.afterCrash(.losesUnsynced))
    #expect(try again.status(.status) == .denied)
    try again.unlock()
    #expect(
      try again.records().last?.event == [
        .init("by", .string("credential")), .init("refused", .integer(6)),
      ])
    // They are told once.
    let last = try TestService(on: again.disk.afterCrash(.losesUnsynced))
    try last.unlock()
    #expect(try last.records().last?.event == [.init("by", .string("credential"))])
  }
}
