import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// [KS-RESTORE-STATE] A store is restored, and records since the copy were compressed or pruned.
@Suite struct UnreadRecordsTests {
  private static let segmentSize = 1 << 13
  private let test: TestService
  private let keys: [KeyID]
  private let copy: BackUpReply
  /// The keys' states before the store was lost.
  private static let states: [KeyState] = [.compromised, .destroyed, .suspended, .retired, .active]

  init() throws {
    test = try TestService(
      segmentSize: Self.segmentSize, adjust: { $0.configuration.backup.directory = "/state" })
    try test.unlock()
    let test = test
    keys = try (0..<5).map { try test.generateKey("merchant/acme/\($0)", "mac-cmac") }
    let reply = try test.call(.backUp, on: .operators)
    let body = reply.body.span
    copy = try BackUpReply(MessageReader(body))
    let steps: [[Opcode]] = [
      [.compromiseKey], [.retireKey, .destroyKey], [.suspendKey], [.retireKey], [],
    ]
    for (key, steps) in zip(keys, steps) {
      for step in steps {
        try #require(try test.call(step, key: key, on: .operators).header.status == .ok)
      }
    }
    // What is older than a week is a segment of its own.
    while try test.disk.list("/audit").count(where: { $0.hasSuffix(".log") }) < 4 {
      _ = try test.call(.random, body: [0x08, 1])
    }
    try #require(test.service.stop())
  }

  /// The store made of the copy; `act` does something to the log's older segments.
  private func restored(_ act: (SimulatedDisk, [String]) -> Void) throws -> SimulatedDisk {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
    disk.unplant("/state/keys")
    act(disk, try disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted().dropLast())
    try StoreCopy("/state/" + copy.name, on: disk).restore(
      to: "keys", in: "/state", digest: #require(Digest256(copy.digest)), at: test.clock.now)
    return disk
  }

  private func states(_ test: TestService) throws -> [KeyState?] {
    try test.reopenedStore { store in keys.map { store.record(for: $0)?.state } }
  }

  @Test(
    "while one of them is compressed, the store stays shut; expanded, all keys are as the log says")
  func compressed() throws {
    let disk = try restored { disk, segments in
      for path in segments.map({ "/audit/" + $0 }) {
        disk.plant(path + ".zst", disk.contents(path) ?? [])
        disk.unplant(path)
      }
    }
    #expect(throws: UnlockError.store(.restoredUnread(from: copy.needs))) {
      try TestService(on: disk).unlock()
    }
    // Neither does the configuration's naming of the copy for another reason open it.
    let digest = Digest256(copy.digest)
    #expect(throws: UnlockError.store(.restoredUnread(from: copy.needs))) {
      try TestService(
        on: disk,
        adjust: {
          $0.configuration.backup.restored = digest?.hex
          $0.configuration.audit.lostWith = digest?.hex
        }
      ).unlock()
    }
    for name in try disk.list("/audit") where name.hasSuffix(".zst") {
      disk.plant("/audit/" + name.dropLast(4), disk.contents("/audit/" + name) ?? [])
    }
    let after = try TestService(on: disk)
    try after.unlock()
    #expect(try states(after) == Self.states)
    let told = try #require(try after.records().last { $0.operation == "key-store-restored" })
    #expect(
      told.eventNumber("moved") == 4 && told.eventNumber("unread") == nil
        && !told.event.contains { $0.name == "forgotten" })
  }

  @Test(
    "where they are gone, only a setting of its own opens it, and the record says how many were given up"
  )
  func pruned() throws {
    let disk = try restored { disk, segments in
      for name in segments { disk.unplant("/audit/" + name) }
    }
    let digest = Digest256(copy.digest)
    #expect(throws: UnlockError.store(.restoredUnread(from: copy.needs))) {
      try TestService(on: disk).unlock()
    }
    #expect(throws: UnlockError.store(.restoredUnread(from: copy.needs))) {
      try TestService(on: disk, adjust: { $0.configuration.backup.forgotten = SHA256.hash([]).hex })
        .unlock()
    }
    let after = try TestService(
      on: disk, adjust: { $0.configuration.backup.forgotten = digest?.hex })
    try after.unlock()
    // Nobody knows: the record says so.
    #expect(try states(after) == [.active, .active, .active, .active, .active])
    let told = try #require(try after.records().last { $0.operation == "key-store-restored" })
    #expect(told.event.contains { $0.name == "forgotten" && $0.value == .bool(true) })
    #expect((told.eventNumber("unread") ?? 0) > 0)
    #expect(after.service.stop())
    // Then it opens without the setting.
    try TestService(on: disk.afterCrash(.losesUnsynced)).unlock()
  }

  @Test(
    "the log is lost and the store intact: marked as a copy of itself, it opens with every key that was acknowledged"
  )
  func onlyTheLogIsLost() throws {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    let (before, younger): ([KeyState?], KeyID) = try {
      let next = try TestService(on: disk)
      try next.unlock()
      let younger = try next.generateKey("merchant/acme/younger", "mac-cmac")
      return (try states(next), younger)
    }()
    for name in try disk.list("/audit") { disk.unplant("/audit/" + name) }
    let (digest, size) = try {
      let store = try StoreCopy("/state/keys", on: disk)
      try store.forgetLog(at: test.clock.now)
      #expect(throws: KeyStoreError.restoredUnopened) { try store.forgetLog(at: test.clock.now) }
      return (store.facts.digest, store.claimedAnchor.size)
    }()
    for other in [nil, Digest256(copy.digest)] {
      #expect {
        try TestService(on: disk, adjust: { $0.configuration.audit.lostWith = other?.hex }).unlock()
      } throws: { error in
        if case UnlockError.audit? = error as? UnlockError { true } else { false }
      }
    }
    let adjust: (inout ServiceSettings) -> Void = {
      $0.configuration.audit.lostWith = digest.hex
      $0.configuration.backup.directory = "/state"
    }
    let after = try TestService(on: disk, adjust: adjust)
    try after.unlock()
    #expect(try states(after) == before && before == Self.states)
    #expect(try after.mac(younger).header.status == .ok)
    let told = try #require(try after.records().first { $0.operation == "key-store-restored" })
    #expect(
      told.eventText("digest") == digest.hex && told.eventNumber("lost").map { UInt64($0) } == size)
    #expect(try after.call(.backUp, on: .operators).header.status == .ok)
    #expect(after.service.stop())
    try TestService(on: disk.afterCrash(.losesUnsynced)).unlock()
  }

  @Test(
    "[KS-UNRECORDED] a change whose record was compressed before the process was killed is not told again",
    arguments: [false, true])
  func toldOnce(_ isCompressed: Bool) throws {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    let next = try TestService(on: disk, segmentSize: Self.segmentSize)
    try next.unlock()
    try #require(try next.call(.retireKey, key: keys[4], on: .operators).header.status == .ok)
    let count = try disk.list("/audit").count + 2
    while try disk.list("/audit").count < count { _ = try next.call(.random, body: [0x08, 1]) }
    let killed = disk.afterCrash(.losesUnsynced)
    for name in isCompressed
      ? try killed.list("/audit").filter({ $0.hasSuffix(".log") }).sorted().dropLast() : []
    {
      killed.plant("/audit/" + name + ".zst", killed.contents("/audit/" + name) ?? [])
      killed.unplant("/audit/" + name)
    }
    let after = try TestService(on: killed, segmentSize: Self.segmentSize)
    try after.unlock()
    let told = try after.records().count { $0.operation == "key-retired" && $0.key == keys[4] }
    #expect(told == (isCompressed ? 0 : 1))
    try after.reopenedStore {
      #expect($0.unrecorded.isEmpty && $0.record(for: keys[4])?.state == .retired)
    }
  }
}
