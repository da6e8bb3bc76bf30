import Crypto
import Format
import Host
import Policy
import TestSupport
import Testing

@testable import KeyStore

@Suite struct UseTests {
  let scene: Scene
  let store: KeyStore
  let id: KeyID

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
    id = try store.importKey(.ec(activates: false), at: Scene.now, anchor: Scene.anchor(1)).id
  }

  private func lend(_ opcode: Opcode, _ key: KeyID?) throws -> KeyStoreError? {
    let grant = try Grant.test(opcode, key)
    return refusal { () throws(KeyStoreError) in try store.key(for: grant, at: Scene.later) }
  }

  private func enter(_ states: KeyState...) throws {
    for state in states {
      try store.setState(state, of: id, at: Scene.later, anchor: Scene.anchor(2))
    }
  }

  /// [KS-USE-GRANT]
  @Test func anActiveKeyIsLentToAGrantForItsOperation() throws {
    try enter(.active)
    let grant = try Grant.test(.openPaymentToken, id)
    #expect(
      try store.key(for: grant, at: Scene.later).privateKey?.spki == (try Fixture.ecKey().spki))
  }

  /// [KS-STATE-USE]
  @Test func onlyActiveAndRetiredKeysOpenTokens() throws {
    #expect(try lend(.openPaymentToken, id) == .wrongState(.preActive))
    try enter(.active)
    #expect(try lend(.openPaymentToken, id) == nil)
    try enter(.retired)
    #expect(try lend(.openPaymentToken, id) == nil)
    try enter(.destroyed)
    #expect(try lend(.openPaymentToken, id) == .unknownKey)
  }

  /// [KS-USE-ROLE]
  @Test(
    arguments: Opcode.allCases.filter {
      ![.openPaymentToken, .certificateRequest, .exportKey].contains($0)
    }) func noOtherOperationHasTheKey(
      _ opcode: Opcode
    ) throws
  {
    try enter(.active)
    #expect(try lend(opcode, id) == .wrongRole)
  }

  @Test func noGrantReachesTheAuditKeys() throws {
    for opcode in Opcode.allCases {
      #expect(try lend(opcode, store.auditSigning.record.id) == .wrongRole)
      #expect(try lend(opcode, store.auditDigest.record.id) == .wrongRole)
    }
  }

  @Test func aGrantForNoKeyOrAnotherHasNone() throws {
    try enter(.active)
    #expect(try lend(.openPaymentToken, nil) == .unknownKey)
    #expect(try lend(.openPaymentToken, KeyID.none) == .unknownKey)
    #expect(try lend(.openPaymentToken, KeyID(high: id.high, low: id.low ^ 1)) == .unknownKey)
  }

  /// [KS-USE-BESIDE]
  @Test func anActiveKeyOfTheRightRoleIsLentBesideAnother() throws {
    try enter(.active)
    let label = try #require(KeyLabel("acme/surrogate")),
      other = try #require(KeyLabel("acme/other"))
    let material = KeyMaterial.symmetric(try SecretBuffer(count: 32))
    let beside = try store.importKey(
      KeyImport(label: label, role: .surrogate, material: material, activates: false),
      at: Scene.now, anchor: Scene.anchor(2)
    ).id
    func lend(_ label: KeyLabel, _ role: KeyRole = .surrogate, opcode: Opcode = .openPaymentToken)
      throws -> KeyStoreError?
    {
      let grant = try Grant.test(opcode, id)
      return refusal { () throws(KeyStoreError) in
        try store.key(label, of: role, beside: grant, at: Scene.later)
      }
    }
    #expect(try lend(label) == .wrongState(.preActive))
    try store.setState(.active, of: beside, at: Scene.later, anchor: Scene.anchor(3))
    #expect(try lend(label) == nil)
    #expect(try lend(label, .sealing) == .wrongRole)
    #expect(try lend(label, opcode: .sign) == .wrongRole)
    #expect(try lend(other) == .unknownKey)
    try store.setState(.retired, of: beside, at: Scene.later, anchor: Scene.anchor(4))
    #expect(try lend(label) == .wrongState(.retired))
  }

  @Test("[KS-USE-FLEET] the fleet's key is lent to the daemon while it is active, and to no grant")
  func aFleetsKey() throws {
    let label = try #require(KeyLabel("fleet/claims")),
      other = try #require(KeyLabel("fleet/other"))
    let material = KeyMaterial.symmetric(try SecretBuffer(count: 32))
    let fleet = try store.importKey(
      KeyImport(label: label, role: .fleet, material: material, activates: false), at: Scene.now,
      anchor: Scene.anchor(2)
    ).id
    #expect(store.fleetKey(labelled: label, at: Scene.later) == nil)
    try store.setState(.active, of: fleet, at: Scene.later, anchor: Scene.anchor(3))
    #expect(store.fleetKey(labelled: label, at: Scene.later)?.record.id == fleet)
    #expect(store.fleetKey(labelled: other, at: Scene.later) == nil)
    for opcode in Opcode.allCases where opcode != .exportKey {
      #expect(try lend(opcode, fleet) == .wrongRole, "\(opcode)")
    }
    try enter(.active)
    let own = try #require(store.record(for: id)).label
    #expect(store.fleetKey(labelled: own, at: Scene.later) == nil, "a key of another role")
    try store.setState(.retired, of: fleet, at: Scene.later, anchor: Scene.anchor(4))
    #expect(store.fleetKey(labelled: label, at: Scene.later) == nil)
  }

  /// [KS-STATE-ORDER]
  @Test func lifeGoesForwardOnly() throws {
    let allowed: Set<[KeyState]> = [
      [.preActive, .active], [.active, .retired], [.retired, .destroyed], [.preActive, .destroyed],
      [.preActive, .compromised],
      [.active, .compromised], [.retired, .compromised], [.compromised, .destroyed],
      [.preActive, .suspended], [.active, .suspended],
      [.retired, .suspended], [.suspended, .compromised],
    ]
    for from in KeyState.allCases {
      for next in KeyState.allCases {
        #expect(from.mayBecome(next) == allowed.contains([from, next]), "\(from) to \(next)")
      }
    }
    #expect(throws: KeyStoreError.wrongState(.preActive)) { try enter(.retired) }
    try enter(.active)
    #expect(throws: KeyStoreError.wrongState(.active)) { try enter(.destroyed) }
    try enter(.retired)
    let record = try #require(store.record(for: id))
    #expect(
      (record.state, record.activated, record.retired) == (.retired, Scene.later, Scene.later))
    #expect(try scene.reopened().record(for: id) == record)
  }

  /// [KS-DESTROY]
  @Test func destroyingRemovesTheBlockAndKeepsTheRecord() throws {
    try enter(.active, .retired)
    #expect(scene.file(id.hex + ".kb") != nil)
    store.recordUses(of: [id], at: Scene.later)
    try enter(.destroyed)
    #expect(scene.file(id.hex + ".kb") == nil)
    let record = try #require(try scene.reopened().record(for: id))
    #expect((record.state, record.destroyed, record.uses.count) == (.destroyed, Scene.later, 1))
    #expect(throws: KeyStoreError.unknownKey) { try enter(.active) }
  }

  /// [KS-DESTROY] A crash after the manifest was written leaves them.
  @Test func theNextUnlockRemovesWhatIsLeftOfADestroyedKey() throws {
    try enter(.active, .retired, .destroyed)
    let left = [".kb", ".ctr", ".otp"].map { Scene.path + "/" + id.hex + $0 }
    for path in left { scene.disk.plant(path, [1]) }
    let disk = scene.disk.afterCrash(.losesUnsynced)
    #expect(try Scene(disk).unlock().strays == [])
    #expect(left.allSatisfy { disk.contents($0) == nil })
  }

  @Test func theAuditKeysCannotBeRetired() throws {
    #expect(throws: KeyStoreError.auditKeys) {
      try store.setState(
        .retired, of: store.auditSigning.record.id, at: Scene.later, anchor: Scene.anchor(2))
    }
    #expect(store.auditSigning.record.state == .active)
    #expect(try scene.reopened().records.count == 3)
  }

  /// [KS-USES]
  @Test func usesAreCountedAndSurviveACheckpoint() throws {
    for second in [5, 3, 9, 4] as [Int64] {
      store.recordUses(of: [id], at: Scene.now.adding(seconds: second))
    }
    let uses = KeyUses(count: 4, last: Scene.now.adding(seconds: 4), auditSize: 1)
    #expect(store.record(for: id)?.uses == uses)
    #expect(store.records.first { $0.id == id }?.uses == uses)
    try enter(.active)
    #expect(store.record(for: id)?.uses == uses)
    // Without a checkpoint they are the audit log's to give back.
    let reopened = try scene.reopened()
    #expect(reopened.record(for: id)?.uses == .none(at: 1))
    try store.checkpointCounters(anchor: Scene.anchor(50))
    let checkpointed = try scene.reopened()
    #expect(
      checkpointed.record(for: id)?.uses
        == KeyUses(count: 4, last: Scene.now.adding(seconds: 4), auditSize: 50))
    checkpointed.restore(uses: 7, lastUse: Scene.later, for: id)
    #expect(
      checkpointed.record(for: id)?.uses == KeyUses(count: 11, last: Scene.later, auditSize: 50))
    checkpointed.restore(uses: 7, lastUse: Scene.later, for: .none)
  }

  /// Readers go on while imports replace the table under them, and see either the old or the new
  /// one.
  @Test func manyThreadsReadWhileKeysAreImported() async throws {
    try enter(.active)
    let store = store
    let id = id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            try Self.use(store, id)
            store.recordUses(of: [id], at: Scene.now)
          }
        }
      }
      group.addTask {
        for number in 0..<20 {
          let key = try PrivateKey.generate(.p256)
          _ = try store.importKey(
            .ec("merchant/acme/\(number)", key: key, certificate: nil, merchant: Fixture.merchant),
            at: Scene.now, anchor: Scene.anchor(3))
        }
      }
      try await group.waitForAll()
    }
    #expect(store.record(for: id)?.uses.count == 800)
    #expect(store.records.count == 23)
    #expect(store.generation == 23)
  }

  private static func use(_ store: KeyStore, _ id: KeyID) throws {
    let grant = try Grant.test(.openPaymentToken, id)
    #expect(try store.key(for: grant, at: Scene.later).record.id == id)
    #expect(store.records.count >= 3)
  }
}
