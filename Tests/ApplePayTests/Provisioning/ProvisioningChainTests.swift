import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

@testable import ApplePay

@Suite("[OP-PROV-2] Apple's certificates for issuers")
struct ProvisioningChainTests {
  @Test("any order will do, with and without the root") func orders() throws {
    let pki = try IssuerPKI().make()
    for order in [
      [pki.leaf, pki.intermediate], [pki.intermediate, pki.leaf],
      [pki.leaf, pki.intermediate, pki.root], [pki.root, pki.intermediate, pki.leaf],
      [pki.intermediate, pki.root, pki.leaf],
    ] {
      #expect(try pki.verify(order).recipient == pki.leafKey.publicKey.point)
    }
  }

  @Test("what is missing, doubled or foreign is refused") func counts() throws {
    let pki = try IssuerPKI().make()
    let other = try IssuerPKI().make()
    let wrong: [([[UInt8]], ProvisioningRejection)] = [
      ([], .leafMarker), ([pki.root], .leafMarker), ([pki.intermediate], .leafMarker),
      ([pki.leaf], .chainLength), ([pki.leaf, pki.root], .chainLength),
      ([pki.leaf, pki.leaf, pki.intermediate], .leafMarker),
      ([pki.leaf, other.leaf, pki.intermediate], .leafMarker),
      ([pki.leaf, pki.intermediate, pki.intermediate], .chainLength),
      ([pki.leaf, pki.intermediate, other.root], .chainLength),
      ([pki.leaf, other.intermediate], .chain),
      ([other.leaf, other.intermediate, other.root], .chainLength),
      ([other.leaf, other.intermediate], .chain),
      ([pki.leaf, [0x30, 0x00]], .certificate), ([pki.leaf + [0], pki.intermediate], .certificate),
      ([pki.leaf, []], .certificate),
    ]
    for (certificates, rejection) in wrong {
      #expect(throws: ProvisioningError.rejected(rejection)) { try pki.verify(certificates) }
    }
  }

  @Test("each rule of the chain refuses") func rules() throws {
    var wrong: [(IssuerPKI, ProvisioningRejection)] = []
    func make(_ rejection: ProvisioningRejection, _ change: (inout IssuerPKI) -> Void) {
      var pki = IssuerPKI()
      change(&pki)
      wrong.append((pki, rejection))
    }
    let unknown = Certificate.Extension.marker(OID("1.2.3.4"), isCritical: true)
    make(.leafMarker) { $0.leafExtensions.removeLast() }
    make(.intermediateMarker) { $0.intermediateExtensions.removeLast() }
    make(.intermediateName) { $0.intermediateName = "Apple Worldwide Developer Relations CA - G3" }
    make(.chain) { $0.hasOwnRoot = true }
    make(.chain) { $0.hasForeignIssuer = true }
    make(.chain) { $0.intermediateExtensions[0] = .basicConstraints(isCA: false) }
    make(.chain) { $0.intermediateExtensions[1] = .keyUsage(.digitalSignature) }
    make(.chain) { $0.leafExtensions[0] = .basicConstraints(isCA: true) }
    make(.keyUsage) { $0.leafExtensions[1] = .keyUsage(.keyAgreement) }
    make(.keyUsage) { $0.leafExtensions.remove(at: 1) }
    make(.criticalExtension) { $0.leafExtensions.append(unknown) }
    make(.criticalExtension) { $0.intermediateExtensions.append(unknown) }
    make(.leafCurve) { $0.leafKind = .p384 }
    make(.leafCurve) { $0.leafKind = .rsa(bits: 2048) }
    for (pki, rejection) in wrong {
      let made = try pki.make()
      #expect(throws: ProvisioningError.rejected(rejection)) { try made.verify() }
    }
  }

  @Test("the marker may be critical or not, and other extensions that are not critical do no harm")
  func extensions() throws {
    var pki = IssuerPKI()
    pki.leafExtensions = [
      .basicConstraints(isCA: false), .keyUsage(.keyEncipherment),
      .marker(.appleIssuerEncryptionLeaf), .marker(OID("1.2.3.4")),
    ]
    #expect(try pki.make().verify().recipient.count == 65)
  }

  @Test("name and marker of the intermediate are settings") func settings() throws {
    var pki = IssuerPKI()
    pki.intermediateName = "Another CA"
    pki.intermediateExtensions[2] = .marker(OID("1.2.3.4"))
    let made = try pki.make()
    #expect(
      try made.verify(issuer: ProvisioningIssuer(commonName: "Another CA", marker: OID("1.2.3.4")))
        .recipient.count == 65)
    #expect(
      try made.verify(issuer: ProvisioningIssuer(commonName: nil, marker: nil)).recipient.count
        == 65)
    #expect(throws: ProvisioningError.rejected(.intermediateMarker)) { try made.verify() }
  }

  @Test("validity is checked each time, remembered chain or not, and can be left unchecked")
  func validity() throws {
    let pki = try IssuerPKI().make()
    let verifier = ProvisioningVerifier(anchor: pki.anchor)
    let chain = [pki.leaf, pki.intermediate]
    #expect(try verifier.verify(chain, now: IssuerPKI.now).recipient.count == 65)
    for moment in [Int64(1_700_000_000), 1_800_000_000] {
      #expect(try verifier.verify(chain, now: Timestamp(seconds: moment)).recipient.count == 65)
    }
    for moment in [Int64(1_699_999_999), 1_800_000_001] {
      #expect(throws: ProvisioningError.rejected(.certificateValidity)) {
        try verifier.verify(chain, now: Timestamp(seconds: moment))
      }
    }
    #expect(verifier.chains.count == 1)
    #expect(
      try pki.verify(at: Timestamp(seconds: 1_900_000_000), checksValidity: false).recipient.count
        == 65)
  }

  @Test("a refused chain is not remembered") func refusedChain() throws {
    let pki = try IssuerPKI().make()
    let verifier = ProvisioningVerifier(anchor: pki.anchor)
    for _ in 0..<2 {
      #expect(throws: ProvisioningError.rejected(.chainLength)) {
        try verifier.verify([pki.leaf], now: IssuerPKI.now)
      }
    }
    #expect(verifier.chains.count == 0)
  }
}

@Suite("Apple's public certificates and log", .enabled(if: Vectors.present, "no test vectors"))
struct ProvisioningVectorTests {
  static let outcomes: [String: [ProvisioningRejection]] = [
    "uc6-prod-chain": [], "uc6-prod-chain-expired": [.certificateValidity],
    "uc6-prod-chain-no-intermediate": [.chainLength],
    "uc6-inmemory-under-g2": [.chain],
  ]

  @Test(
    "[OP-PROV-2] every chain gives its outcome, in every order", arguments: outcomes.keys.sorted())
  func chains(_ name: String) throws {
    try #require(TestArena.ready)
    let vector = try Vectors.json("applepay/provisioning/\(name).json")
    let certificates = try (vector["certificates"] as? [String] ?? []).map { pem in
      let text = Array(pem.utf8)
      return try #require(
        try PrivateKeyFile.decode(text.span, passphrase: nil).certificates.first?.der)
    }
    let clock = try #require(
      (vector["clock"] as? String).flatMap {
        Timestamp($0.replacingOccurrences(of: "+00:00", with: "Z"))
      })
    let root = [UInt8](try Vectors.data("applepay/certs/AppleRootCA-G3.cer"))
    let verifier = ProvisioningVerifier(anchor: try TrustAnchor.appleRootCAG3())
    for order in [
      certificates, certificates.reversed(), certificates + [root], [root] + certificates,
    ] {
      if let rejection = Self.outcomes[name]?.first {
        #expect(throws: ProvisioningError.rejected(rejection)) {
          try verifier.verify(order, now: clock)
        }
      } else {
        #expect(try verifier.verify(order, now: clock).recipient.count == 65)
      }
    }
  }

  @Test func everyChainIsRun() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Vectors.root.appendingPathComponent("applepay/provisioning").path)
    #expect(
      Set(files.filter { $0.hasPrefix("uc6") }) == Set(Self.outcomes.keys.map { $0 + ".json" }))
  }

  @Test(
    "[OP-PROV-4] the public log, byte for byte",
    arguments: ["encryption-log-uc6-inmemory", "encryption-log-uc6-prod"])
  func log(_ name: String) throws {
    try #require(TestArena.ready)
    let vector = try Vectors.json("applepay/provisioning/\(name).json")
    let expected = try #require(vector["expected"] as? [String: String])
    func bytes(_ name: String) throws -> [UInt8] {
      try #require((vector[name] as? String).flatMap { Hex.decode($0) })
    }
    let recipient = try bytes("serverPublicKey")
    let scalar = try bytes("ephemeralPrivateKey")
    let plaintext = try bytes("plaintext")
    let steps = try ProvisioningSteps(
      ephemeral: EphemeralKey(scalar: scalar.span), recipient: recipient.span)
    #expect(Hex.encode(steps.sharedSecret.bytes) == expected["sharedSecret"])
    #expect(Hex.encode(steps.otherInfo) == expected["otherInfo"])
    #expect(Hex.encode(steps.sharedKey.bytes) == expected["sharedKey"])
    #expect(try steps.ephemeralPublicKey == bytes("ephemeralPublicKey"))
    let sealed = Hex.encode(try steps.seal(plaintext.span))
    if let encrypted = expected["encryptedPassData"] { #expect(sealed == encrypted) }
    if let hash = expected["publicKeyHash"] {
      #expect(SHA256.hash(try PublicKey(point: recipient.span, on: .p256).spki).hex == hash)
    }
  }

  @Test("[OP-PROV-4] no two passes have an ephemeral key in common") func fresh() throws {
    let pki = try IssuerPKI().make()
    let recipient = try pki.verify().recipient
    let text = Array("{}".utf8)
    let passes = try (0..<20).map { _ in try SealedPass(text.span, for: recipient.span) }
    #expect(Set(passes.map(\.ephemeralPublicKey)).count == 20)
    #expect(Set(passes.map(\.encryptedPassData)).count == 20)
  }
}
