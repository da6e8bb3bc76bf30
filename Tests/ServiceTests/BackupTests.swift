import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import Review
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// Copies of the key store, and what becomes of a store that came from one.
@Suite struct BackupTests {
  private static let segmentSize = 1 << 16
  private let test: TestService

  init() throws {
    test = try TestService(
      segmentSize: Self.segmentSize, adjust: { $0.configuration.backup.directory = "/state" })
    try test.unlock()
  }

  private func backUp(_ test: TestService? = nil) throws -> BackUpReply {
    let reply = try (test ?? self.test).call(.backUp, on: .operators)
    try #require(reply.header.status == .ok)
    let body = reply.body.span
    return try BackUpReply(MessageReader(body))
  }

  private func stage(_ reply: (header: ReplyHeader, body: [UInt8])) throws -> Stage? {
    guard reply.header.status == .rejected else { return nil }
    let body = reply.body.span
    return try Rejection(MessageReader(body)).stage
  }

  private func make(
    _ role: KeyRole = .macCMAC, _ label: String = "merchant/acme/new", useLimit: UInt64 = 0
  ) throws -> KeyID {
    try test.generateKey(label, role.rawValue) { $0.useLimit = useLimit }
  }

  private func move(_ key: KeyID, _ steps: Opcode...) throws {
    for step in steps {
      try #require(try test.call(step, key: key, on: .operators).header.status == .ok)
    }
  }

  private func mac(_ key: KeyID, on test: TestService) throws -> Status {
    try test.mac(key).header.status
  }

  /// The store and its copies, without the service's own files beside them.
  private func copies(_ disk: SimulatedDisk) throws -> [String] {
    try disk.list("/state").filter { !$0.hasPrefix("audit.") }
  }

  /// The disk without its key store, as its owner finds it after the loss.
  private func lost(log isLost: Bool = false, by test: TestService? = nil) throws -> SimulatedDisk {
    let disk = (test ?? self.test).disk.afterCrash(.keepsUnsynced)
    for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
    disk.unplant("/state/keys")
    if isLost { for name in try disk.list("/audit") { disk.unplant("/audit/" + name) } }
    return disk
  }

  private func restored(
    _ copy: BackUpReply, log isLost: Bool = false, codes: StoreCopy.Codes = .refused,
    from test: TestService? = nil
  ) throws -> SimulatedDisk {
    let disk = try lost(log: isLost, by: test)
    let digest = try #require(Digest256(copy.digest))
    try StoreCopy("/state/" + copy.name, on: disk).restore(
      to: "keys", in: "/state", digest: digest, codes: codes, at: self.test.clock.now)
    return disk
  }

  /// What the unlocking of a restored store put on the record.
  private func restoring(_ test: TestService) throws -> [String: CanonicalJSON] {
    let events = try test.records().filter { $0.operation == "key-store-restored" }
    try #require(events.count == 1)
    return Dictionary(uniqueKeysWithValues: events[0].event.map { ($0.name, $0.value) })
  }

  // MARK: making one

  @Test("[OP-BACKUP-1] a copy is made, read back, and put on the record by its digest")
  func backsUp() throws {
    _ = try make()
    let reply = try backUp()
    let copy = try StoreCopy("/state/" + reply.name, on: test.disk)
    #expect(copy.facts.digest.bytes == reply.digest)
    #expect(reply.name == "2025-06-15T150640Z-g\(reply.generation)" && reply.keys == 3)
    let record = try #require(try test.lastRecord())
    #expect(record.operation == "back-up" && record.status == .ok)
    #expect(
      record.inputs.backup
        == Backup(
          digest: copy.facts.digest, generation: reply.generation, keys: 3, needs: reply.needs))
    #expect(reply.needs <= record.sequence && reply.needs == copy.facts.needs)
    #expect(HumanLine.text(record).contains("digest=\(copy.facts.digest.hex)"))
    // The next one is another.
    #expect(try backUp().generation == reply.generation + 1)
  }

  @Test(
    "[OP-BACKUP-2] without a place for it, and where the copy fails, it is rejected, and the person on call learns why"
  )
  func refusals() throws {
    let said = TestClock()
    let bare = try TestService()
    try bare.unlock()
    #expect(try stage(bare.call(.backUp, on: .operators)) == .backup)
    let full = try TestService(adjust: {
      $0.configuration.backup.directory = "/state"
      $0.report = { if case .backupFailed(.storage) = $0 { said.step(seconds: 1) } }
    })
    try full.unlock()
    full.disk.fill(to: full.disk.usedBytes + 100)
    #expect(try stage(full.call(.backUp, on: .operators)) == .backup)
    #expect(said.now == TestService.start.adding(seconds: 1))
    for test in [bare, full] { #expect(try test.lastRecord()?.inputs.backup == nil) }
    let half = try #require(try copies(full.disk).first { $0 != "keys" })
    #expect(throws: KeyStoreError.cutOff) { try StoreCopy("/state/" + half, on: full.disk) }
    #expect(try test.call(.backUp, on: .services).header.status == .denied)
    #expect(try test.call(.backUp, body: [0x08, 1], on: .operators).header.status == .malformed)
    let locked = try TestService(adjust: { $0.configuration.backup.directory = "/state" })
    #expect(try locked.call(.backUp, on: .operators).header.status == .locked)
    #expect(try copies(test.disk) == ["keys"])
  }

  @Test(
    "[OP-APPROVE-1] [OP-APPROVE-3] a copy waits for a second person, and each wants one of its own")
  func waits() throws {
    let second = Caller(uid: 1001, gid: 1001, pid: 2)
    let rule = try Rule(
      id: "officers",
      callers: CallerRule(users: [Principal(id: TestService.caller.uid), Principal(id: second.uid)]
      ), operations: [.backUp, .approve])
    let test = try TestService(
      grants: [rule],
      adjust: {
        $0.configuration.backup.directory = "/state"
        $0.configuration.operators.approval = Opcode.approvedByDefault
      })
    try test.unlock()
    let reply = try test.call(.backUp, on: .operators)
    try #require(reply.header.status == .approvalNeeded)
    #expect(try copies(test.disk) == ["keys"])
    let needed = reply.body.span
    let request = try ApprovalNeeded(MessageReader(needed)).request
    let body = try written(atMost: 32) { try ApproveRequest(request: request).encode(into: &$0) }
    #expect(try test.call(.approve, body: body, on: .operators).header.status == .rejected)
    #expect(try test.call(.approve, body: body, from: second, on: .operators).header.status == .ok)
    let made = try backUp(test)
    #expect(try copies(test.disk) == [made.name, "keys"])
    #expect(try test.lastRecord()?.inputs.approval?.by == second.uid)
    #expect(try test.call(.backUp, on: .operators).header.status == .approvalNeeded)
  }

  // MARK: coming from one

  @Test(
    "[KS-RESTORE-MARK] the first unlocking of a restored store says so on the record, and only the first"
  )
  func restores() throws {
    let key = try make()
    let copy = try backUp()
    let disk = try restored(copy)
    do {
      let after = try TestService(on: disk)
      try after.unlock()
      #expect(try mac(key, on: after) == .ok)
      let event = try restoring(after)
      #expect(
        event["digest"] == .string(Hex.encode(copy.digest))
          && event["generation"] == .integer(Int64(copy.generation)))
      for name in ["lost", "missing", "moved"] { #expect(event[name] == .integer(0)) }
      #expect(after.service.stop())
    }
    let again = try TestService(on: disk.afterCrash(.losesUnsynced))
    try again.unlock()
    _ = try restoring(again)
  }

  @Test(
    "[KS-RESTORE-STATE] keys are no less than the log says: retired, compromised, destroyed since is so again, and none comes alive"
  )
  func catchesUp() throws {
    let keys = try (0..<4).map { try make(.macCMAC, "merchant/acme/\($0)") }
    var waiting = GenerateKeyRequest(label: "merchant/acme/waiting", role: "mac-cmac")
    waiting.preActive = true
    let reply = try test.call(
      .generateKey, body: written(atMost: 1024) { try waiting.encode(into: &$0) }, on: .operators)
    let body = reply.body.span
    let asleep = try KeyDescription(MessageReader(body)).id
    let copy = try backUp()
    try move(keys[0], .retireKey)
    try move(keys[1], .compromiseKey)
    try move(keys[2], .retireKey, .destroyKey)
    let id = KeyID(prefixOf: asleep.span)
    try move(#require(id), .activateKey)
    let younger = try make(.macCMAC, "merchant/acme/younger")
    let disk = try restored(copy)
    let after = try TestService(on: disk)
    try after.unlock()
    let event = try restoring(after)
    #expect(
      event["moved"] == .integer(3) && event["missing"] == .integer(1)
        && event["lost"] == .integer(0))
    try after.reopenedStore { store in
      let states = keys.map { store.record(for: $0)?.state }
      #expect(states == [.retired, .compromised, .destroyed, .active])
      let sleeper = try #require(id)
      #expect(store.record(for: sleeper)?.state == .preActive)
      #expect(store.record(for: younger) == nil)
      #expect(store.restoredMark == nil && store.restored == nil)
    }
    #expect(
      try !after.disk.list("/state/keys").contains {
        $0.hasPrefix(Hex.encode(keys[2].bytes)) && $0.hasSuffix(".kb")
      })
    #expect(try mac(keys[3], on: after) == .ok)
    #expect(try mac(keys[0], on: after) == .denied)
  }

  @Test(
    "[KS-OLDER] an old store beside a younger log does not open",
    arguments: [Opcode.generateKey, .suspendKey, .retireKey, .compromiseKey, .destroyKey])
  func olderThanLog(_ change: Opcode) throws {
    let key = try make()
    if change == .destroyKey { try move(key, .retireKey) }
    let copy = try backUp()
    if change == .generateKey {
      _ = try make(.macCMAC, "merchant/acme/younger")
    } else {
      try move(key, change)
    }
    // As `cp -a` puts it back.
    let disk = try restored(copy)
    disk.unplant("/state/keys/restored.json")
    let after = try TestService(on: disk)
    #expect(throws: UnlockError.store(.olderThanLog)) { try after.unlock() }
    #expect(throws: UnlockError.store(.olderThanLog)) { try after.unlock() }
    #expect(try after.call(.random, body: [0x08, 1]).header.status == .locked)
  }

  @Test("[KS-OLDER] a store in which a key is suspended that was resumed since does not open")
  func resumedSince() throws {
    let key = try make()
    try move(key, .suspendKey)
    let copy = try backUp()
    try move(key, .resumeKey)
    let disk = try restored(copy)
    disk.unplant("/state/keys/restored.json")
    #expect(throws: UnlockError.store(.olderThanLog)) { try TestService(on: disk).unlock() }
  }

  @Test(
    "[KS-RESTORE-STATE] restoring never lifts a suspension: of a key suspended since, nor of one that the copy has so"
  )
  func suspensions() throws {
    let since = try make(.macCMAC, "merchant/acme/since"),
      before = try make(.macCMAC, "merchant/acme/before")
    let retired = try make(.macCMAC, "merchant/acme/retired"),
      passed = try make(.macCMAC, "merchant/acme/passed")
    try move(before, .suspendKey)
    let copy = try backUp()
    try move(since, .suspendKey)
    try move(before, .resumeKey)
    try move(retired, .retireKey, .suspendKey)
    try move(passed, .suspendKey, .resumeKey)
    let after = try TestService(on: restored(copy))
    try after.unlock()
    try after.reopenedStore { store in
      #expect(
        [since, before, retired, passed].map { store.record(for: $0)?.state } == [
          .suspended, .suspended, .suspended, .active,
        ])
      #expect(store.record(for: retired)?.retired != nil)
    }
    for key in [since, before, retired] { #expect(try mac(key, on: after) == .denied) }
    #expect(try mac(passed, on: after) == .ok)
    #expect(try after.call(.resumeKey, key: since, on: .operators).header.status == .ok)
    #expect(try mac(since, on: after) == .ok)
  }

  @Test(
    "a store that is as old as its log opens without more ado",
    arguments: [[Opcode.retireKey], [.suspendKey], [.suspendKey, .resumeKey]])
  func asOldAsItsLog(_ changes: [Opcode]) throws {
    let key = try make()
    for change in changes { try move(key, change) }
    for crash in SimulatedDisk.Crash.allCases {
      let after = try TestService(on: test.disk.afterCrash(crash))
      try after.unlock()
      #expect(try !after.operations().contains("key-store-restored"))
    }
  }

  @Test(
    "[KS-RESTORE-STATE] uses since the copy are counted, and a limit is not lengthened by a restoring"
  )
  func limits() throws {
    let key = try make(useLimit: 4)
    #expect(try mac(key, on: test) == .ok)
    let copy = try backUp()
    for _ in 0..<2 { #expect(try mac(key, on: test) == .ok) }
    let after = try TestService(on: try restored(copy))
    try after.unlock()
    #expect(try mac(key, on: after) == .ok)
    #expect(try mac(key, on: after) == .rejected)
    try after.reopenedStore { #expect($0.record(for: key)?.uses.count == 3) }
  }

  @Test(
    "[KS-COUNTER] uses of which the log has lost the records count in a copy as well: only the counter's file tells of them"
  )
  func limitsWithoutRecords() throws {
    let key = try make(useLimit: 4)
    for _ in 0..<2 { #expect(try mac(key, on: test) == .ok) }
    while try test.disk.list("/audit").count(where: { $0.hasSuffix(".log") }) < 2 {
      _ = try test.call(.random, body: [0x08, 1])
    }
    let disk = test.disk.afterCrash(.losesUnsynced)
    let oldest = try #require(try disk.list("/audit").filter { $0.hasSuffix(".log") }.min())
    disk.unplant("/audit/" + oldest)
    // Without a quota, which counts as used up where records are missing.
    let grants = [try TestService.everything([.backUp, .mac])]
    let before = try TestService(
      on: disk, grants: grants, segmentSize: Self.segmentSize,
      adjust: { $0.configuration.backup.directory = "/state" })
    try before.unlock()
    let copy = try backUp(before)
    #expect(try mac(key, on: before) == .ok)
    let after = try TestService(on: try restored(copy, from: before), grants: grants)
    try after.unlock()
    #expect(try mac(key, on: after) == .ok)
    #expect(try mac(key, on: after) == .rejected)
  }

  @Test(
    "[KS-RESTORE-CODES] [OP-OTP-8] codes of a restored key are refused by name, unless somebody answered for them"
  )
  func codes() throws {
    var request = GenerateKeyRequest(label: "merchant/acme/codes", role: "otp-hotp")
    request.otp.digits = 6
    request.otp.hash = .sha256
    request.otp.window = 3
    request.otp.failures = 5
    request.otp.lockout = 60
    let reply = try test.call(
      .generateKey, body: written(atMost: 1024) { try request.encode(into: &$0) }, on: .operators)
    try #require(reply.header.status == .ok)
    let body = reply.body.span
    let id = try KeyDescription(MessageReader(body)).id
    let found = KeyID(prefixOf: id.span)
    let key = try #require(found)
    #expect(try test.call(.signOTP, key: key).header.status == .ok)
    let copy = try backUp()
    for (codes, expected) in [(StoreCopy.Codes.refused, Stage.otpNotRestored), (.asCopied, nil)] {
      let after = try TestService(on: try restored(copy, codes: codes))
      try after.unlock()
      #expect(try stage(after.call(.signOTP, key: key)) == expected)
    }
  }

  @Test(
    "[KS-RESTORE-STATE] a store whose log is lost opens only where the configuration says that it is, and once"
  )
  func lostLog() throws {
    let key = try make()
    let copy = try backUp()
    let size = try UInt64(test.records().count)
    let disk = try restored(copy, log: true)
    let digest = try #require(Digest256(copy.digest))
    for other in [nil, SHA256.hash([])] {
      let after = try TestService(
        on: disk.afterCrash(.keepsUnsynced),
        adjust: { $0.configuration.audit.lostWith = other?.hex }
      )
      #expect { try after.unlock() } throws: { error in
        if case UnlockError.audit(.truncated)? = error as? UnlockError { true } else { false }
      }
    }
    let after = try TestService(on: disk, adjust: { $0.configuration.audit.lostWith = digest.hex })
    try after.unlock()
    #expect(try mac(key, on: after) == .ok)
    let event = try restoring(after)
    guard case .integer(let lost) = event["lost"] else { return #expect(Bool(false)) }
    #expect(lost > 0 && lost <= size)
    #expect(after.service.stop())
    let again = try TestService(
      on: disk.afterCrash(.losesUnsynced), adjust: { $0.configuration.audit.lostWith = digest.hex })
    try again.unlock()
    #expect(again.service.stop())
    // A second loss is another matter: the store came from nowhere this time.
    let gone = disk.afterCrash(.losesUnsynced)
    for name in try gone.list("/audit") { gone.unplant("/audit/" + name) }
    let third = try TestService(on: gone, adjust: { $0.configuration.audit.lostWith = digest.hex })
    #expect { try third.unlock() } throws: { error in
      if case UnlockError.audit(.truncated)? = error as? UnlockError { true } else { false }
    }
  }

  @Test("a restored store whose log is cut short does not open, whatever the configuration says")
  func shortLog() throws {
    _ = try make()
    let before = test.disk.afterCrash(.keepsUnsynced)
    _ = try make(.macCMAC, "merchant/acme/more")
    let copy = try backUp()
    let disk = try restored(copy)
    for name in try disk.list("/audit")
    where name.hasSuffix(".log") || before.contents("/audit/" + name) != nil {
      disk.plant("/audit/" + name, before.contents("/audit/" + name) ?? [])
    }
    let after = try TestService(
      on: disk, adjust: { $0.configuration.audit.lostWith = Digest256(copy.digest)?.hex })
    #expect { try after.unlock() } throws: { error in
      if case UnlockError.audit? = error as? UnlockError { true } else { false }
    }
  }

  /// Every call of that first unlocking, failed in every way: the next one finishes it, and the
  /// record has it.
  @Test(
    "[KS-RESTORE-STATE] a crash during the first unlocking is made good by the next",
    arguments: [false, true])
  func crashes(_ isLost: Bool) throws {
    let retired = try make()
    let key = try make(.macCMAC, "merchant/acme/other")
    let copy = try backUp()
    try move(retired, .retireKey)
    _ = try make(.macCMAC, "merchant/acme/younger")
    let start = try restored(copy, log: isLost)
    // Beside its log, the record of the backup names the copy.
    let digest = isLost ? Digest256(copy.digest) : nil
    let (_, calls) = try FaultMatrix(from: start).run { disk in
      (try? TestService(
        on: disk, segmentSize: Self.segmentSize,
        adjust: { $0.configuration.audit.lostWith = digest?.hex }
      ).unlock()) != nil
    } _: { disk, _, point in
      // Each crash is looked at once for each call and way to fail.
      guard point.crash == SimulatedDisk.Crash.allCases[point.call % 4] else { return }
      let after = try TestService(
        on: disk, segmentSize: Self.segmentSize,
        adjust: { $0.configuration.audit.lostWith = digest?.hex })
      #expect(throws: Never.self, "\(point)") { try after.unlock() }
      let told = try after.records().filter { $0.operation == "key-store-restored" }
      #expect(told.count == 1 || told.count == 2, "\(point)")
      for name in ["missing", "moved"] {
        #expect(told.first?.eventNumber(name) == (isLost ? 0 : 1), "\(name), \(point)")
      }
      #expect(try after.disk.list("/state/keys").contains("restored.json") == false, "\(point)")
      #expect(try mac(key, on: after) == .ok)
      #expect(try mac(retired, on: after) == (isLost ? .ok : .denied), "\(point)")
    }
    #expect(calls >= 12)
  }
}
