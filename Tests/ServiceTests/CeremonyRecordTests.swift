import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Review
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// What people change at a ceremony, while no daemon runs, reaches the log at the next unlocking,
/// and holds from then on.
@Suite struct CeremonyRecordTests {
  private let test: TestService
  private let key: KeyID
  private let copy: BackUpReply

  init() throws {
    test = try TestService(adjust: { $0.configuration.backup.directory = "/state" })
    try test.unlock()
    key = try test.generateKey("merchant/acme/mac")
    let reply = try test.call(.backUp, on: .operators)
    let body = reply.body.span
    copy = try BackUpReply(MessageReader(body))
    try #require(test.service.stop())
  }

  /// Changes the store as a ceremony does.
  private func hold(
    _ step: String, on disk: SimulatedDisk, kek: [UInt8] = TestService.kek,
    _ change: (KeyStore) throws -> Void
  ) throws {
    let kek = try secret(kek)
    let store = try LockedKeyStore.open("/state/keys", on: disk).unlock(
      kek: kek, expecting: .rehearsal)
    store.takePart(
      in: CeremonyReference(
        name: "acme-2026-1", step: step, people: ["alice", "bob"],
        transcript: AuditAnchor(size: 7, root: SHA256.hash(Array(step.utf8)))))
    try change(store)
  }

  private func destroy(_ store: KeyStore) throws {
    for state in [KeyState.retired, .destroyed] {
      try store.setState(state, of: key, at: TestService.start, anchor: store.anchor)
    }
  }

  private func secret(_ bytes: [UInt8]) throws -> SecretBuffer {
    try SecretBuffer(copying: bytes.span)
  }

  private func register(_ kek: [UInt8] = TestService.kek) throws -> CustodianRegister {
    let kek = try secret(kek)
    let shares = try ShareCollection.split(kek.bytes, by: SharingScheme(2, of: 2))
    let holders = try ["ada", "grace"].map { user in
      try #require(Custodian(name: "Ms " + user, user: user))
    }
    return try CustodianRegister(shares, holders: holders, kek: KeyCheckValue.aes(kek.bytes))
  }

  /// The disk with a store made of the copy, by `kist restore` or, without its mark, by hand.
  private func restored(_ disk: SimulatedDisk, byHand: Bool = false) throws -> SimulatedDisk {
    let next = disk.afterCrash(.keepsUnsynced)
    for name in try next.list("/state/keys") { next.unplant("/state/keys/" + name) }
    next.unplant("/state/keys")
    let digest = try #require(Digest256(copy.digest))
    try StoreCopy("/state/" + copy.name, on: next).restore(
      to: "keys", in: "/state", digest: digest, at: TestService.start)
    if byHand { next.unplant("/state/keys/restored.json") }
    return next
  }

  /// Opens the store once, as a daemon of the next day does, and stops.
  private func open(_ disk: SimulatedDisk) throws -> TestService {
    let next = try TestService(on: disk)
    try next.unlock()
    return next
  }

  @Test(
    "[KS-UNRECORDED] a destruction at a ceremony is recorded once, by name, and a restored copy has it made again; one put back by hand stays shut"
  )
  func aDestroyedKeyStaysDestroyed() throws {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    try hold("destroy", on: disk, destroy)
    do {
      let next = try open(disk)
      let told = try next.records().filter { $0.eventText("ceremony") == "acme-2026-1" }
      #expect(told.map(\.operation) == ["key-retired", "key-destroyed"])
      #expect(
        told.allSatisfy {
          $0.key == key && $0.label == "merchant/acme/mac" && $0.eventText("step") == "destroy"
            && $0.eventNumber("size") == 7
        })
      #expect(told.allSatisfy { HumanLine.text($0).contains("people=[alice,bob]") })
      #expect(next.service.stop())
    }
    do {
      let again = try open(disk)
      #expect(try again.records().count { $0.eventText("ceremony") != nil } == 2)
      #expect(again.service.stop())
    }
    let back = try open(restored(disk))
    #expect(try back.mac(key).header.status == .denied)
    try back.reopenedStore { #expect($0.record(for: key)?.state == .destroyed) }
    #expect(throws: UnlockError.store(.olderThanLog)) { try open(restored(disk, byHand: true)) }
  }

  @Test("[KS-UNRECORDED] a crash between record and manifest tells nothing twice")
  func crashes() throws {
    let start = test.disk.afterCrash(.keepsUnsynced)
    try hold("destroy", on: start, destroy)
    try FaultMatrix(from: start).run(every: 5) { disk in
      (try? open(disk)) != nil
    } _: { disk, _, point in
      guard point.crash == SimulatedDisk.Crash.allCases[point.call % 4] else { return }
      let after = try open(disk)
      #expect(try after.operations().count { $0 == "key-destroyed" } == 1, "\(point)")
      try after.reopenedStore { #expect($0.unrecorded.isEmpty, "\(point)") }
    }
  }

  @Test(
    "[KS-RESTORE-SHARES] a copy from before a reshare opens only by a ceremony's restore step, on the record"
  )
  func reshare() throws {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    try hold("reshare", on: disk) { try $0.register(register(), kek: secret(TestService.kek)) }
    let next = try open(disk)
    #expect(try next.operations().contains("key-store-reshared"))
    #expect(next.service.stop())
    #expect(throws: UnlockError.store(.olderThanLog)) { try open(restored(disk, byHand: true)) }
    #expect(throws: UnlockError.store(.olderShares)) { try open(restored(disk)) }
    let sat = try restored(disk)
    try hold("restore", on: sat) { try $0.noteRestoring() }
    let back = try open(sat)
    #expect(try back.operations().suffix(4).contains("key-store-put-back"))
    #expect(try back.operations().contains("key-store-restored"))
    #expect(back.service.stop())
    #expect(try open(sat).mac(key).header.status == .ok)
  }

  @Test(
    "[KS-RESTORE-MARK] a ceremony changes nothing in a restored store that no daemon has opened, and it opens afterwards"
  )
  func restoredAndUnopened() throws {
    let new = [UInt8](repeating: 7, count: 32)
    let changes: [(String, (KeyStore) throws -> Void)] = [
      ("destroy", destroy),
      ("reshare", { try $0.register(register(), kek: secret(TestService.kek)) }),
      ("rotate-kek", { _ = try $0.reseal(under: secret(new), custodians: register(new)) }),
      ("back-up", { try $0.note(copy: SHA256.hash([])) }),
    ]
    for (step, change) in changes {
      let disk = try restored(test.disk.afterCrash(.keepsUnsynced))
      #expect(throws: KeyStoreError.restoredUnopened, "\(step)") {
        try hold(step, on: disk, change)
      }
      let back = try open(disk)
      #expect(try back.mac(key).header.status == .ok, "\(step)")
    }
  }

  @Test(
    "[KS-RESTORE-MARK] a ceremony that restores a copy may change its KEK, its shares and its keys before a daemon opens it"
  )
  func restoredByACeremony() throws {
    let new = [UInt8](repeating: 7, count: 32)
    let start = try restored(test.disk.afterCrash(.keepsUnsynced))
    try hold("restore", on: start) { try $0.noteRestoring() }
    try FaultMatrix(from: start).run(every: 3) { disk in
      (try? hold("rotate-kek", on: disk) {
        _ = try $0.reseal(under: secret(new), custodians: register(new))
      }) != nil
    } _: { disk, acknowledged, point in
      guard point.crash == SimulatedDisk.Crash.allCases[point.call % 4] else { return }
      let back = try TestService(on: disk)
      do { try back.unlock(kek: new) } catch UnlockError.store(.wrongKEK) {
        #expect(!acknowledged, "\(point)")
        try back.unlock()
      }
      #expect(try back.mac(key).header.status == .ok, "\(point)")
      #expect(try back.operations().count { $0 == "key-store-restored" } == 1, "\(point)")
    }
    try hold("destroy", on: start, destroy)
    #expect(try open(start).mac(key).header.status == .denied)
  }

  @Test(
    "[KS-RESTORE-SHARES] a copy from before a new KEK does not open, though the old KEK is its own")
  func rotation() throws {
    let disk = test.disk.afterCrash(.keepsUnsynced)
    let new = [UInt8](repeating: 7, count: 32)
    try hold("rotate-kek", on: disk) {
      _ = try $0.reseal(under: secret(new), custodians: register(new))
    }
    let next = try TestService(on: disk)
    try next.service.unlock(credential: secret(new))
    let told = try #require(next.records().first { $0.operation == "key-store-resealed" })
    #expect(told.eventNumber("number") == 1 && told.eventText("step") == "rotate-kek")
    #expect(next.service.stop())
    #expect(throws: UnlockError.store(.olderThanLog)) { try open(restored(disk, byHand: true)) }
    #expect(throws: UnlockError.store(.olderShares)) { try open(restored(disk)) }
  }
}
