import ApplePay
import Ceremony
import Crypto
import Dispatch
import Format
import Host
import KeyStore
import KistClient
import Operations
import Policy
import Sandbox
import Service
import ServiceHarness
import TestSupport
import Testing

/// Operators' operations on keys, through the whole service.
@Suite struct KeyLifeTests {
  private static let countsInterval: UInt64 = 8
  private let test: TestService

  init() throws {
    test = try TestService(adjust: { $0.countsInterval = Self.countsInterval })
    try test.unlock()
  }

  private func call(
    _ opcode: Opcode, _ key: KeyID = .none, _ body: [UInt8] = [], on socket: SocketKind = .operators
  ) throws -> (
    header: ReplyHeader, body: [UInt8]
  ) {
    try test.call(opcode, key: key, body: body, on: socket)
  }

  private func generate(_ request: GenerateKeyRequest) throws -> (
    header: ReplyHeader, body: [UInt8]
  ) {
    try call(.generateKey, .none, written(atMost: 1024) { try request.encode(into: &$0) })
  }

  private func request(_ role: KeyRole = .sealing, label: String = "merchant/acme/new")
    -> GenerateKeyRequest
  {
    var request = GenerateKeyRequest(label: label, role: role.rawValue)
    if role.isMerchant { request.merchantIdentifier = "merchant.com.acme" }
    return request
  }

  private func made(_ request: GenerateKeyRequest) throws -> (
    id: KeyID, description: KeyDescription
  ) {
    let reply = try generate(request)
    try #require(reply.header.status == .ok)
    let body = reply.body.span
    let description = try KeyDescription(MessageReader(body))
    let id = description.id
    let found = KeyID(prefixOf: id.span)
    return (try #require(found), description)
  }

  private func stage(_ reply: (header: ReplyHeader, body: [UInt8])) throws -> Stage? {
    guard reply.header.status == .rejected else { return nil }
    let body = reply.body.span
    return try Rejection(MessageReader(body)).stage
  }

  @Test("[OP-GENERATE-1] [OP-GENERATE-2] a key of every role that is ours to make")
  func generates() throws {
    for (number, role) in KeyRole.allCases.filter({
      !$0.isInternal && !$0.isPublic && $0.usualAlgorithm != .tripleDES2
    }).enumerated() {
      let (_, key) = try made(request(role, label: "merchant/acme/\(number)"))
      #expect((key.role, key.state) == (role.rawValue, role.isMerchant ? "pre-active" : "active"))
      #expect(key.algorithm == role.usualAlgorithm.name)
    }
    #expect(try test.operations().suffix(2) == ["generate-key", "key-generated"])
  }

  @Test("[OP-GENERATE-1] choices of algorithm, period and limit; pre-active where it is asked for")
  func choices() throws {
    var wish = request(.signingECDSA)
    wish.algorithm = "P-384"
    wish.preActive = true
    wish.notBefore = 1_750_000_000
    wish.notAfter = 1_760_000_000
    wish.useLimit = 5
    let (_, key) = try made(wish)
    #expect((key.algorithm, key.state, key.notAfter) == ("P-384", "pre-active", 1_760_000_000))
    #expect((key.notBefore, key.useLimit) == (1_750_000_000, 5))
    // [KS-PERIOD]
    wish.label = "merchant/acme/later"
    wish.preActive = false
    wish.notBefore = UInt64(TestService.start.seconds) + 60
    #expect(try made(wish).1.state == "pre-active")
  }

  @Test(
    "[OP-IMPORT-2] a key whose label the grant does not cover is not made, and nothing is stored",
    arguments: ["issuer/acme", "merchant", "merchants/acme"])
  func labelsOfOthers(_ label: String) throws {
    #expect(try generate(request(label: label)).header.status == .denied)
    var imported = ImportKeyRequest()
    let key = [UInt8](repeating: 7, count: 32)
    imported.label = label
    imported.role = KeyRole.sealing.rawValue
    imported.privateKey = key.span
    let body = try written(atMost: 1024) { try imported.encode(into: &$0) }
    #expect(try call(.importKey, .none, body).header.status == .denied)
    #expect(try test.reopenedStore { $0.records.allSatisfy { $0.label.text != label } })
    #expect(throws: RuleFlaw.keysMissing(.generateKey)) {
      try Rule(
        id: "makers", callers: CallerRule(users: [Principal(id: 1)]), operations: [.generateKey])
    }
  }

  @Test("[OP-GENERATE-1] what does not go together is rejected, and nothing is stored")
  func refusedGeneration() throws {
    var wrong: [GenerateKeyRequest] = [
      request(label: "Merchant"), request(label: ""), request(.auditSigning), request(.otpVisa),
      request(.partnerEncryptionEC), request(.partnerEncryptionRSA),
      GenerateKeyRequest(label: "merchant/a", role: "none"),
      GenerateKeyRequest(label: "merchant/a", role: "merchant-processing-ec"),
    ]
    for algorithm in ["P-521", "RSA-2048", "AES-128"] {
      var wish = request()
      wish.algorithm = algorithm
      wrong.append(wish)
    }
    var backwards = request()
    var endless = request()
    backwards.notBefore = 2
    backwards.notAfter = 1
    endless.useLimit = 1 << 53
    var over = request()
    over.notAfter = UInt64(TestService.start.seconds) - 1
    var surplus = request()
    surplus.otp.digits = 6
    var named = request()
    named.merchantIdentifier = "merchant.com.acme"
    for wish in wrong + [backwards, endless, over, surplus, named] {
      #expect(try stage(generate(wish)) == .keyImport, "\(wish)")
    }
    _ = try made(request())
    #expect(try stage(generate(request())) == .keyImport)
    #expect(try test.operations().filter { $0 == "key-generated" }.count == 1)
  }

  @Test("[OP-STATE-1] a key's life, each step on the record")
  func life() throws {
    var wish = request()
    wish.preActive = true
    let id = try made(wish).id
    let states = try [Opcode.activateKey, .retireKey, .compromiseKey, .destroyKey].map { opcode in
      let reply = try call(opcode, id)
      try #require(reply.header.status == .ok)
      let body = reply.body.span
      return try KeyDescription(MessageReader(body)).state
    }
    #expect(states == ["active", "retired", "compromised", "destroyed"])
    #expect(
      try test.operations().suffix(8) == [
        "activate-key", "key-activated", "retire-key", "key-retired", "compromise-key",
        "key-compromised", "destroy-key", "key-destroyed",
      ])
    // A key that is no more looks like one that never was.
    #expect(try call(.retireKey, id).header.status == .denied)
  }

  @Test(
    "[OP-STATE-1] steps that the state does not allow",
    arguments: [Opcode.activateKey, .destroyKey]) func refusedSteps(_ opcode: Opcode) throws
  {
    let id = try made(request()).id
    #expect(try stage(call(opcode, id)) == .keyState)
    #expect(try test.operations().last == opcode.name)
    #expect(try call(opcode).header.status == .denied)
    #expect(try call(opcode, KeyID(high: 1, low: 2)).header.status == .denied)
    #expect(try call(opcode, id, on: .services).header.status == .denied)
    #expect(try call(opcode, id, [0x08, 1]).header.status == .malformed)
  }

  @Test("[OP-STATE-1] a period that has not begun")
  func period() throws {
    var wish = request()
    wish.preActive = true
    wish.notBefore = UInt64(TestService.start.seconds) + 60
    let id = try made(wish).id
    #expect(try stage(call(.activateKey, id)) == .keyState)
    test.clock.now = TestService.start.adding(seconds: 60)
    #expect(try call(.activateKey, id).header.status == .ok)
  }

  @Test("[OP-ATTACH-1] what is no certificate, or another key's, is rejected")
  func refusedCertificates() throws {
    let id = try made(request(.merchantProcessingEC)).id
    func attach(_ bytes: [UInt8], to id: KeyID) throws -> Stage? {
      try stage(
        call(
          .attachCertificate, id,
          written(atMost: 9000) {
            try AttachCertificateRequest(certificate: bytes.span).encode(into: &$0)
          }))
    }
    let root = [UInt8](try Vectors.data("applepay/certs/AppleRootCA-G3.cer"))
    #expect(try attach([1, 2, 3], to: id) == .keyImport)
    #expect(try attach(root, to: id) == .keyImport)
    #expect(try attach(root, to: made(request(label: "merchant/acme/other")).id) == .keyImport)
    #expect(try call(.attachCertificate, id).header.status == .malformed)
  }

  @Test(
    "[KS-ATTACH-ISSUER] a certificate that an operator made is rejected, attached or imported, and changes nothing; the root's is taken"
  )
  func issuers() throws {
    let pki = try TestApplePKI.make()
    let own = try TestApplePKI.make()
    let anchor = try TrustAnchor(pki.root.certificate)
    let test = try TestService(adjust: { $0.merchantIssuers = .sandbox(anchor) })
    try test.unlock()
    let wish = request(.merchantProcessingEC)
    let made = try test.call(
      .generateKey, body: written(atMost: 1024) { try wish.encode(into: &$0) }, on: .operators)
    let key = try KeyDescription(MessageReader(made.body.span))
    let found = KeyID(prefixOf: key.id.span)
    let id = try #require(found)
    func attach(signedBy issuer: CertifiedKey) throws -> (header: ReplyHeader, body: [UInt8]) {
      let builder = CertificateBuilder(
        subject: [
          .userID("merchant.com.acme"),
          .commonName("Apple Pay Payment Processing:merchant.com.acme"),
        ], serial: 2,
        notBefore: TestService.start, notAfter: TestService.start.adding(seconds: 86_400),
        extensions: [.merchantIdentifier("merchant.com.acme")])
      let der = try builder.issue(
        for: PublicKey(spki: key.publicKey.span), by: issuer.certificate, signedWith: issuer.key
      ).der
      return try test.call(
        .attachCertificate, key: id,
        body: written(atMost: 9000) {
          try AttachCertificateRequest(certificate: der.span).encode(into: &$0)
        }, on: .operators)
    }
    #expect(try stage(attach(signedBy: own.root)) == .keyImport)
    #expect(try test.call(.describeKey, key: id, on: .operators).body == made.body)
    #expect(try attach(signedBy: pki.root).header.status == .ok)

    let certified = try own.certify(.ec)
    let serialised = try certified.key.serialised()
    let certificate = certified.certificate.der
    var imported = ImportKeyRequest()
    imported.label = "merchant/acme/brought"
    imported.role = KeyRole.merchantProcessingEC.rawValue
    imported.privateKey = serialised.bytes
    imported.certificate = certificate.span
    let body = try written(atMost: 9000) { try imported.encode(into: &$0) }
    #expect(try stage(test.call(.importKey, body: body, on: .operators)) == .keyImport)
  }

  @Test("a key with a limit is used so often, and says so by its stage")
  func limited() throws {
    var wish = request(.macCMAC)
    wish.useLimit = 2
    let id = try made(wish).id
    #expect(try test.mac(id).header.status == .ok)
    #expect(try test.mac(id).header.status == .ok)
    #expect(try stage(test.mac(id)) == .invocations)
  }

  @Test(
    "counts of uses are saved while it runs, and cover exactly the records up to where they say, from many callers too"
  )
  func countsSaved() throws {
    let id = try made(request(.macCMAC)).id
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<20 { #expect((try? test.mac(id))?.header.status == .ok) }
    }
    // Among many callers the one that saves may be held up while the others go on; a lone one saves
    // at each interval's end.
    for _ in 0..<20 { #expect(try test.mac(id).header.status == .ok) }
    let saved = try test.reopenedStore { try #require($0.record(for: id)?.uses) }
    let uses = try test.operations().prefix(Int(saved.auditSize)).count { $0 == "mac" }
    #expect(saved.count == uses)
    #expect(saved.count >= 100 - Self.countsInterval - 1)
  }
}
