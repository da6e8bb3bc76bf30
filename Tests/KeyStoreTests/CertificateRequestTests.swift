import Crypto
import Format
import Foundation
import Host
import KeyStore
import Policy
import TestSupport
import Testing

/// What goes to Apple for a certificate, read by OpenSSL's own command.
@Suite struct CertificateRequestTests {
  let store: KeyStore

  init() throws {
    let scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func slot(
    _ role: KeyRole, _ kind: KeyKind, merchant: String? = Fixture.merchant, activates: Bool = true
  ) throws -> KeySlot {
    let record = try store.importKey(
      KeyImport(
        label: try #require(KeyLabel("merchant/acme/\(role.rawValue)")), role: role,
        material: .privateKey(try PrivateKey.generate(kind)),
        merchant: merchant.flatMap { MerchantIdentifier($0) }, activates: activates),
      at: Scene.now, anchor: Scene.anchor(1))
    let grant = try Grant.test(.certificateRequest, record.id)
    return try store.key(for: grant, at: Scene.later)
  }

  /// What `openssl req -verify -text` says.
  private func read(_ der: [UInt8]) throws -> String {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-inform", "DER", "-verify", "-noout", "-text", "-nameopt", "RFC2253",
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(der))
    try input.fileHandleForWriting.close()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text
  }

  static let certified: [(KeyRole, KeyKind, subject: String, algorithm: String)] = [
    (
      .merchantProcessingEC, .p256,
      "C=US,O=Acme Inc.,CN=Apple Pay Payment Processing:merchant.com.example.acme,UID=merchant.com.example.acme",
      "ecdsa-with-SHA256"
    ),
    (
      .merchantProcessingRSA, .rsa(bits: 2048),
      "C=US,O=Acme Inc.,CN=Apple Pay Payment Processing:merchant.com.example.acme,UID=merchant.com.example.acme",
      "sha256WithRSAEncryption"
    ),
    (
      .merchantIdentityRSA, .rsa(bits: 2048),
      "C=US,O=Acme Inc.,CN=Apple Pay Merchant Identity:merchant.com.example.acme,UID=merchant.com.example.acme",
      "sha256WithRSAEncryption"
    ),
  ]

  /// [KS-CSR-KEY] [KS-CSR-SUBJECT] [OP-CSR-1] [OP-CSR-2] Subject, algorithm, key and signature, of
  /// a key that waits for its certificate.
  @Test(arguments: certified)
  func whatAppleWantsIsAskedFor(
    _ row: (role: KeyRole, kind: KeyKind, subject: String, algorithm: String)
  ) throws {
    let slot = try slot(row.role, row.kind, activates: false)
    let der = try slot.certificateRequest(organization: "Acme Inc.", country: "US")
    let text = try read(der)
    #expect(text.contains("self-signature verify OK"))
    #expect(text.contains("Subject: \(row.subject)\n"))
    #expect(text.contains("Signature Algorithm: \(row.algorithm)\n"))
    #expect(text.contains(row.kind == .p256 ? "NIST CURVE: P-256" : "Public-Key: (2048 bit)"))
    let key = try #require(slot.privateKey).spki
    #expect(der.indices.contains { der[$0...].starts(with: key) })
  }

  @Test func aNameThatX520HasNoRoomForIsLeftOut() throws {
    let long = "merchant." + String(repeating: "x", count: 60)
    let slot = try slot(.merchantProcessingEC, .p256, merchant: long)
    #expect(
      try read(slot.certificateRequest(organization: nil, country: nil)).contains(
        "Subject: UID=\(long)\n"))
  }

  /// [KS-CSR-KEY]
  @Test func whatAppleDoesNotCertifyIsRefused() throws {
    let large = try slot(.merchantIdentityRSA, .rsa(bits: 3072))
    #expect(
      refusal { () throws(KeyStoreError) in
        try large.certificateRequest(organization: nil, country: nil)
      } == .requestRefused)
    let signing = store.auditSigning
    #expect(
      refusal { () throws(KeyStoreError) in
        try signing.certificateRequest(organization: nil, country: nil)
      } == .requestRefused)
  }

  /// [KS-CSR-SUBJECT]
  @Test(
    arguments: [
      ("", nil), (String(repeating: "x", count: 65), nil), (nil, "USA"), (nil, "U"), (nil, "1%"),
      (nil, ""),
    ] as [(String?, String?)])
  func aSubjectThatX520DoesNotTakeIsRefused(_ organization: String?, _ country: String?) throws {
    let slot = try slot(.merchantProcessingEC, .p256)
    #expect(
      refusal { () throws(KeyStoreError) in
        try slot.certificateRequest(organization: organization, country: country)
      } == .requestRefused)
  }

  /// [KS-STATE-USE]
  @Test func aKeyThatIsRetiredAsksForNothing() throws {
    let id = try slot(.merchantProcessingEC, .p256).record.id
    try store.setState(.retired, of: id, at: Scene.later, anchor: Scene.anchor(2))
    let grant = try Grant.test(.certificateRequest, id)
    #expect(
      refusal { () throws(KeyStoreError) in try store.key(for: grant, at: Scene.later) }
        == .wrongState(.retired))
  }
}
