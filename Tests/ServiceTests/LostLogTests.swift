import Audit
import Ceremony
import Crypto
import Format
import KeyStore
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// A store that came from a copy, without its log: nobody knows what was opened before, and no
/// later start may forget that.
@Suite struct LostLogTests {
  /// What was opened before the loss, and the disk after it.
  private struct Loss {
    let shop: EnvelopeScene
    let token: [UInt8]
    let envelope: EnvelopeScene.Sealed
    let digest: Digest256
    /// How many records the log had when the copy was made, as the store knows.
    let lost: UInt64
    let disk: SimulatedDisk

    /// - Parameters:
    ///   - isUsed: whether the store had a log when it was copied; a ceremony's copy has none.
    ///   - isLogThere: whether the store alone was lost.
    init(isUsed: Bool, isLogThere: Bool = false) throws {
      shop = try EnvelopeScene(once: true)
      let made = try shop.scene.service()
      if isUsed {
        try made.unlock()
        try #require(made.service.stop())
      }
      let before = made.disk.afterCrash(.keepsUnsynced)
      do {
        let store = try LockedKeyStore.open("/state/keys", on: before).unlock(
          kek: TestService.secret(TestService.kek), expecting: .rehearsal)
        digest = try store.copy(to: "copy", in: "/state").digest
        lost = store.anchor.size
      }
      let minted = try shop.scene.mint(signedAt: shop.clock.now)
      token = try shop.scene.request(minted)
      let service = try shop.service(on: before)
      envelope = try shop.seal(minted, service)
      guard case .ok = try shop.open(envelope, service) else { throw CryptoError.invalidKey }
      disk = before.afterCrash(.keepsUnsynced)
      for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
      if !isLogThere { for name in try disk.list("/audit") { disk.unplant("/audit/" + name) } }
      disk.unplant("/state/keys")
      try StoreCopy("/state/copy", on: disk).restore(
        to: "keys", in: "/state", digest: digest, at: shop.clock.now)
    }

    /// The daemon on that disk, told that the log was lost, and unlocked.
    func service(on disk: SimulatedDisk) throws -> TestService {
      try shop.service(on: disk, segmentSize: 1 << 16) {
        $0.configuration.audit.lostWith = digest.hex
      }
    }

    func expectRefusal(by service: TestService, _ comment: Comment) throws {
      #expect(try shop.scene.open(token, service) == "signing-time", comment)
      #expect(try shop.open(envelope, service) == .refused("envelope-used"), comment)
    }
  }

  @Test(
    "[KS-RESTORE-STATE] however the first unlocking fails, what was opened before the loss opens neither after the next one nor at any start after it",
    arguments: [true, false])
  func firstUnlockingFails(isUsed: Bool) throws {
    let loss = try Loss(isUsed: isUsed)
    #expect((loss.lost > 0) == isUsed)
    let (_, calls) = try FaultMatrix(from: loss.disk).run { disk in
      (try? loss.service(on: disk)) != nil
    } _: { disk, _, point in
      // Each crash is looked at once for each call and way to fail.
      guard point.crash == SimulatedDisk.Crash.allCases[point.call % 4] else { return }
      let next = try loss.service(on: disk)
      try loss.expectRefusal(by: next, "the next unlocking, \(point)")
      let killed = try loss.service(on: disk.afterCrash(.losesUnsynced))
      try loss.expectRefusal(by: killed, "the start after it, \(point)")
      let told = try killed.records().filter { $0.operation == "key-store-restored" }
      #expect(
        !told.isEmpty && told.allSatisfy { $0.eventNumber("lost") == Int64(loss.lost) }, "\(point)")
    }
    #expect(calls >= 12)
  }

  @Test(
    "[KS-RESTORE-STATE] beside its log, nothing is forgotten, even of a copy from before there was a log, or by a mark that somebody changed",
    arguments: [true, false], [true, false])
  func logThatIsThere(isUsed: Bool, isForged: Bool) throws {
    let loss = try Loss(isUsed: isUsed, isLogThere: true)
    if isForged {
      let mark = try #require(loss.disk.contents("/state/keys/restored.json"))
      let forged = String(decoding: mark, as: UTF8.self).replacing(
        #","time""#, with: #","lost":3,"time""#)
      loss.disk.plant("/state/keys/restored.json", Array(forged.utf8))
      #expect(throws: UnlockError.store(.restoredMark)) { _ = try loss.service(on: loss.disk) }
      loss.disk.plant("/state/keys/restored.json", mark)
    }
    let fresh = try loss.shop.scene.request(signedAt: loss.shop.clock.now)
    let next = try loss.service(on: loss.disk)
    let told = try #require(next.records().last { $0.operation == "key-store-restored" })
    #expect(told.eventNumber("lost") == 0 && !told.event.contains { $0.name == "forgotten" })
    for service in [next, try loss.service(on: loss.disk.afterCrash(.losesUnsynced))] {
      #expect(try loss.shop.scene.open(loss.token, service) == "replay")
      #expect(try loss.shop.open(loss.envelope, service) == .refused("envelope-used"))
    }
    #expect(try loss.shop.scene.open(fresh, next) == "ok")
  }

  @Test(
    "[KS-RESTORE-MARK] no log is begun with a copy that nobody names, even of a copy from before there was one"
  )
  func unnamed() throws {
    let loss = try Loss(isUsed: false)
    let disk = loss.disk.afterCrash(.keepsUnsynced)
    #expect(throws: UnlockError.store(.restoredUnnamed)) { try loss.shop.service(on: disk) }
    #expect(try disk.list("/audit") == [])
    let next = try loss.shop.service(on: disk.afterCrash(.keepsUnsynced)) {
      $0.configuration.backup.restored = loss.digest.hex
    }
    try loss.expectRefusal(by: next, "the unlocking that names it")
    try loss.expectRefusal(
      by: loss.shop.service(on: next.disk.afterCrash(.losesUnsynced)), "the start after it")
  }
}
