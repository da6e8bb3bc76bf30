import Ceremony
import Crypto
import Format
import Foundation
import Host
import Policy
import TestSupport
import Testing

@testable import KeyStore

/// A key's life: who moved it on, when it may be used and how often, and the certificate that comes
/// later.
@Suite struct LifeTests {
  let scene: Scene
  let store: KeyStore
  private static let officer = Persons(asked: 1001, approved: 1002)

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func make(
    _ role: KeyRole = .sealing, label: String = "acme/sealing", activates: Bool = true,
    from: Timestamp? = nil, until: Timestamp? = nil,
    limit: UInt64? = nil
  ) throws -> KeyID {
    let request = KeyImport(
      label: try #require(KeyLabel(label)), role: role,
      material: try KeyMaterial.generate(role.usualAlgorithm), activates: activates,
      notBefore: from,
      notAfter: until, useLimit: limit, by: Persons(asked: 1000))
    return try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1)).id
  }

  private func refusal(_ request: () throws -> KeyID) throws -> ImportRefusal? {
    do {
      _ = try request()
      return nil
    } catch KeyStoreError.importRefused(let refusal) { return refusal }
  }

  private func lend(_ opcode: Opcode, _ id: KeyID, at now: Timestamp = Scene.later) throws
    -> KeyStoreError?
  {
    let grant = try Grant.test(opcode, id)
    return KeyStoreTests.refusal { () throws(KeyStoreError) in try store.key(for: grant, at: now) }
  }

  /// [KS-MANIFEST-KEY]
  @Test func theManifestSaysWhoAndWhen() throws {
    let id = try make(activates: false)
    #expect(store.record(for: id)?.persons == [.created: Persons(asked: 1000)])
    for state in [KeyState.active, .retired, .compromised, .destroyed] {
      try store.setState(state, of: id, at: Scene.later, by: Self.officer, anchor: Scene.anchor(2))
    }
    let record = try #require(try scene.reopened().record(for: id))
    #expect(record.persons[.created] == Persons(asked: 1000))
    for step in [KeyStep.activated, .retired, .compromised, .destroyed] {
      #expect(record.moment(of: step) == Scene.later)
      #expect(record.persons[step] == Self.officer)
    }
    let text = String(decoding: try #require(scene.file("manifest.json")), as: UTF8.self)
    #expect(
      text.contains(
        #""by":{"activated":[1001,1002],"compromised":[1001,1002],"created":[1000],"destroyed":[1001,1002],"retired":[1001,1002]}"#
      ))
  }

  /// [KS-STATE-USE]
  @Test func aCompromisedKeyOnlyOpensWhatItSealed() throws {
    let id = try make()
    try store.setState(.compromised, of: id, at: Scene.later, anchor: Scene.anchor(2))
    #expect(try lend(.unseal, id) == nil)
    #expect(try lend(.openEnvelope, id) == nil)
    for opcode in [Opcode.seal, .tokenise] {
      #expect(try lend(opcode, id) == .wrongState(.compromised))
    }
    for opcode in Opcode.allCases {
      #expect(
        KeyState.compromised.serves(opcode)
          == [.unseal, .detokenise, .openEnvelope].contains(opcode))
    }
    #expect(try scene.reopened().record(for: id)?.state == .compromised)
  }

  /// [KS-STATE-ORDER]
  @Test func aCompromisedKeyHasNoWayBack() throws {
    let id = try make()
    try store.setState(.compromised, of: id, at: Scene.later, anchor: Scene.anchor(2))
    for state in [KeyState.preActive, .active, .retired, .compromised] {
      #expect(throws: KeyStoreError.wrongState(.compromised)) {
        try store.setState(state, of: id, at: Scene.later, anchor: Scene.anchor(3))
      }
    }
    try store.setState(.destroyed, of: id, at: Scene.later, anchor: Scene.anchor(3))
    #expect(try scene.reopened().record(for: id)?.destroyed == Scene.later)
  }

  /// [KS-PERIOD]
  @Test func aKeyServesWithinItsPeriod() throws {
    let from = Scene.now.adding(seconds: 100)
    let until = Scene.now.adding(seconds: 200)
    let id = try make(activates: false, from: from, until: until)
    func activate(_ seconds: Int64) throws {
      try store.setState(
        .active, of: id, at: Scene.now.adding(seconds: seconds), anchor: Scene.anchor(2))
    }
    #expect(throws: KeyStoreError.wrongState(.preActive)) { try activate(99) }
    #expect(throws: KeyStoreError.wrongState(.preActive)) { try activate(201) }
    try activate(100)
    #expect(try lend(.seal, id, at: Scene.now.adding(seconds: 99)) == .wrongState(.preActive))
    #expect(try lend(.unseal, id, at: Scene.now.adding(seconds: 99)) == .wrongState(.preActive))
    #expect(try lend(.seal, id, at: from) == nil)
    #expect(try lend(.seal, id, at: until) == nil)
    #expect(try lend(.seal, id, at: until.adding(seconds: 1)) == .wrongState(.retired))
    #expect(try lend(.unseal, id, at: until.adding(seconds: 1)) == nil)
  }

  /// [KS-PERIOD]
  @Test func aKeyIsNotActiveFromTheStartOutsideItsPeriod() throws {
    let soon = Scene.now.adding(seconds: 100)
    for (number, (from, state)) in [
      (nil, KeyState.active), (Scene.now, .active), (soon, .preActive),
    ].enumerated() {
      let id = try make(label: "acme/\(number)", from: from, until: soon.adding(seconds: 100))
      let record = try #require(try scene.reopened().record(for: id))
      #expect(record.state == state && record.activated == (state == .active ? Scene.now : nil))
      #expect(record.persons.keys.contains(.activated) == (state == .active))
    }
    for until in [Scene.now, Scene.now.adding(seconds: -1), Timestamp(seconds: 1)] {
      for activates in [true, false] {
        #expect(try refusal { try make(activates: activates, until: until) } == .period)
      }
    }
  }

  /// [KS-PERIOD] [KS-USE-LIMIT]
  @Test func periodsAndLimitsThatCannotBeAreRefused() throws {
    #expect(try refusal { try make(from: Scene.now, until: Scene.now) } == .period)
    #expect(try refusal { try make(from: Scene.later, until: Scene.now) } == .period)
    #expect(try refusal { try make(limit: 0) } == .useLimit)
    #expect(try refusal { try make(limit: 1 << 53) } == .useLimit)
    #expect(
      try refusal { try make(from: Scene.now, until: Scene.later, limit: 1 << 53 - 1) } == nil)
  }

  /// [KS-USE-LIMIT]
  @Test func aLimitedKeyIsUsedSoOften() throws {
    let id = try make(.macCMAC, limit: 3)
    for _ in 0..<3 { #expect(try lend(.mac, id) == nil) }
    #expect(try lend(.mac, id) == .invocationsUsedUp)
    #expect(try lend(.verifyMAC, id) == .invocationsUsedUp)
    // Whatever happens next.
    for outcome in SimulatedDisk.Crash.allCases {
      let again = try Scene(scene.disk.afterCrash(outcome)).unlock()
      let grant = try Grant.test(.mac, id)
      #expect(throws: KeyStoreError.invocationsUsedUp) {
        try again.key(for: grant, at: Scene.later)
      }
    }
  }

  /// [KS-USE-LIMIT] A crash must not lose much of a small limit.
  @Test(arguments: [(UInt64(1), UInt64(1)), (255, 1), (1024, 4), (1 << 20, 4096), (1 << 32, 4096)])
  func blocksFollowTheLimit(_ limit: UInt64, _ block: UInt64) {
    #expect(DurableCounter.block(of: limit) == block)
  }

  /// [KS-USE-LIMIT] Sealing counts once, by the lower of the two limits.
  @Test func aLimitedSealingKeySealsSoOften() throws {
    let id = try make(limit: 2)
    for _ in 0..<2 { #expect(try lend(.seal, id) == nil) }
    #expect(try lend(.seal, id) == .invocationsUsedUp)
    #expect(try lend(.unseal, id) == .invocationsUsedUp)
  }

  @Test(
    arguments: KeyRole.allCases.filter {
      !$0.isInternal && !$0.isPublic && $0.usualAlgorithm != .tripleDES2
    })
  func everyOtherRoleCanBeGenerated(_ role: KeyRole) throws {
    let material = try KeyMaterial.generate(role.usualAlgorithm)
    #expect(role.allows(role.usualAlgorithm))
    #expect(material.algorithm(in: role) == role.usualAlgorithm)
  }

  @Test func aKeyOfVisasIsNotOurs() {
    #expect(throws: CryptoError.invalidKey) { _ = try KeyMaterial.generate(.tripleDES2) }
  }

  // MARK: certificates

  private func waiting(_ merchant: String = Fixture.merchant) throws -> KeyID {
    try store.importKey(
      .ec(certificate: nil, merchant: merchant, activates: false), at: Scene.now,
      anchor: Scene.anchor(1)
    ).id
  }

  /// [KS-ATTACH]
  @Test func aCertificateComesLater() throws {
    let id = try waiting()
    let certificate = try Fixture.certificate(Fixture.certificate)
    try store.attach(certificate, to: id, anchor: Scene.anchor(2))
    #expect(store.certificate(of: id)?.der == certificate.der)
    let again = try scene.reopened()
    #expect(again.certificate(of: id)?.der == certificate.der)
    #expect(again.record(for: id)?.notAfter == certificate.notAfter)
    #expect(again.strays == [])
    #expect(throws: KeyStoreError.importRefused(.certificatePresent)) {
      try store.attach(certificate, to: id, anchor: Scene.anchor(3))
    }
  }

  /// For the fixture's key and merchant, as anybody could make it.
  private func selfMade(until end: Timestamp) throws -> Certificate {
    let genuine = try Fixture.certificate(Fixture.certificate)
    let builder = CertificateBuilder(
      subject: [.userID(Fixture.merchant)], serial: 7, notBefore: Scene.now, notAfter: end,
      extensions: [.basicConstraints(isCA: false), .merchantIdentifier(Fixture.merchant)])
    return try builder.issue(
      for: genuine.publicKey, by: genuine, signedWith: PrivateKey.generate(.p256))
  }

  /// [KS-ATTACH] A wrong certificate ends no key: the right one takes its place, and its end with
  /// it.
  @Test func aCertificateIsReplaced() throws {
    let id = try waiting()
    let wrong = try selfMade(until: Scene.now.adding(seconds: 86_400))
    let right = try Fixture.certificate(Fixture.certificate)
    try store.attach(wrong, to: id, anchor: Scene.anchor(2))
    #expect(store.record(for: id)?.notAfter == wrong.notAfter)
    try store.attach(right, to: id, anchor: Scene.anchor(3))
    let again = try scene.reopened()
    #expect(
      again.certificate(of: id)?.der == right.der
        && again.record(for: id)?.notAfter == right.notAfter && again.strays == [])
    let record = try #require(again.record(for: id))
    let certificates = try scene.disk.list(Scene.path).filter { $0.hasSuffix(".cer") }
    #expect(certificates == [Scene.certificateName(record)])
  }

  /// [KS-ATTACH] An end that somebody gave is no certificate's.
  @Test func anEndThatWasGivenOutlivesTheCertificate() throws {
    let end = Scene.now.adding(seconds: 3600)
    let request = try KeyImport.ec(
      certificate: nil, merchant: Fixture.merchant, activates: false, notAfter: end)
    let id = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1)).id
    for certificate in [
      try selfMade(until: Scene.now.adding(seconds: 86_400)),
      try Fixture.certificate(Fixture.certificate),
    ] {
      try store.attach(certificate, to: id, anchor: Scene.anchor(2))
      #expect(store.record(for: id)?.notAfter == end)
    }
  }

  /// [KS-ATTACH] [KS-WRITE-ORDER] Cut off anywhere, the key has the one certificate or the other,
  /// and no third file is left.
  @Test func aReplacementThatIsCutOff() throws {
    let id = try waiting()
    let wrong = try selfMade(until: Scene.now.adding(seconds: 86_400))
    let right = try Fixture.certificate(Fixture.certificate)
    try store.attach(wrong, to: id, anchor: Scene.anchor(2))
    var seen: Set<[UInt8]> = []
    let (_, calls) = try FaultMatrix(from: scene.disk).run { disk in
      do {
        try Scene(disk).unlock().attach(right, to: id, anchor: Scene.anchor(3))
      } catch is KeyStoreError { return false }
      return true
    } _: { disk, isDone, point in
      let store = try Scene(disk).unlock()
      let found = try #require(store.certificate(of: id)?.der)
      #expect(found == right.der || !isDone && found == wrong.der, "\(point)")
      #expect(!store.strays.contains { $0.hasSuffix(".cer") }, "\(point)")
      seen.insert(found)
    }
    #expect(calls > 4 && seen.count == 2)
  }

  /// [KS-ATTACH]
  @Test(
    arguments: [
      (Fixture.certificateOfAnotherKey, ImportRefusal.certificateKey),
      (Fixture.certificateWithoutExtension, .merchantExtension),
      (Fixture.certificateWithoutUID, .merchantExtension),
      (Fixture.certificateOfTwoMerchants, .merchantExtension),
    ]) func otherCertificatesAreRefused(_ base64: String, _ refusal: ImportRefusal) throws
  {
    let id = try waiting()
    let certificate = try Fixture.certificate(base64)
    #expect(throws: KeyStoreError.importRefused(refusal)) {
      try store.attach(certificate, to: id, anchor: Scene.anchor(2))
    }
    #expect(try scene.reopened().record(for: id)?.certificate == nil)
  }

  /// [KS-ATTACH]
  @Test func aCertificateThatComesTooLateOrElsewhereIsRefused() throws {
    let certificate = try Fixture.certificate(Fixture.certificate)
    let other = try waiting("merchant.com.example.other")
    #expect(throws: KeyStoreError.importRefused(.merchantMismatch)) {
      try store.attach(certificate, to: other, anchor: Scene.anchor(2))
    }
    try store.setState(.compromised, of: other, at: Scene.later, anchor: Scene.anchor(3))
    #expect(throws: KeyStoreError.importRefused(.certificatePresent)) {
      try store.attach(certificate, to: other, anchor: Scene.anchor(4))
    }
    let sealing = try make()
    #expect(throws: KeyStoreError.importRefused(.notMerchants)) {
      try store.attach(certificate, to: sealing, anchor: Scene.anchor(5))
    }
    #expect(throws: KeyStoreError.unknownKey) {
      try store.attach(certificate, to: .none, anchor: Scene.anchor(5))
    }
  }

  // MARK: what a manifest cannot say

  /// [KS-MANIFEST-KEY] Each is authentic, and refused for what it says.
  @Test(
    arguments: [
      (#""by":{"created":[1000]}"#, #""by":{}"#),
      (#""by":{"created":[1000]}"#, #""by":{"created":[]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"created":[1000,1000]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"created":[1,2,3]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"created":[4294967296]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"created":["root"]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"activated":[1000]}"#),
      (#""by":{"created":[1000]}"#, #""by":{"stolen":[1000]}"#),
      (#""state":"pre-active""#, #""state":"compromised""#),
      (#""state":"pre-active""#, #""state":"stolen""#),
      (#""use_limit":7"#, #""use_limit":0"#), (#""use_limit":7"#, #""use_limit":-1"#),
      (
        #""not_before":"2026-09-21T14:13:20.000000Z""#,
        #""not_before":"2027-09-21T14:13:20.000000Z""#
      ),
    ]) func otherManifestsAreRefused(_ text: String, _ changed: String) throws
  {
    _ = try make(activates: false, from: Scene.now, until: Scene.later, limit: 7)
    let original = String(decoding: try #require(scene.file("manifest.json")), as: UTF8.self)
    #expect(original.contains(text))
    let json = original.replacingOccurrences(of: text, with: changed)
    #expect(throws: KeyStoreError.manifestForm) { _ = try ManifestFile(parsing: Array(json.utf8)) }
    _ = try ManifestFile(parsing: Array(original.utf8))
  }
}
