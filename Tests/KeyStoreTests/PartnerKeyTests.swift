import Ceremony
import Crypto
import Format
import Host
import TestSupport
import Testing

@testable import KeyStore

@Suite struct PartnerKeyTests {
  private let scene: Scene
  private let store: KeyStore
  private let end = Scene.now.adding(seconds: 86_400)

  init() throws {
    scene = try Scene()
    try scene.create()
    store = try scene.unlock()
  }

  private func take(_ request: consuming KeyImport) throws -> KeyRecord {
    try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1))
  }

  private func refusal(_ request: consuming KeyImport) throws -> ImportRefusal? {
    do throws(KeyStoreError) {
      _ = try store.importKey(request, at: Scene.now, anchor: Scene.anchor(1))
      return nil
    } catch {
      guard case .importRefused(let refusal) = error else { throw error }
      return refusal
    }
  }

  private func request(
    _ role: KeyRole, _ key: PublicKey, certificate: Certificate? = nil, until end: Timestamp?,
    exportable: Bool = false, members: String = ""
  ) throws -> KeyImport {
    let label = try #require(KeyLabel("partner/acquirer"))
    let members = try #require(JWEMembers(members))
    return KeyImport(
      label: label, role: role, material: .publicKey(key), certificate: certificate, notAfter: end,
      isExportable: exportable, jweMembers: members)
  }

  private func certificate(
    _ key: PrivateKey, usage: KeyUsage? = nil, isCA: Bool = false, until end: Timestamp
  ) throws -> Certificate {
    let extensions: [Certificate.Extension] =
      [.basicConstraints(isCA: isCA)] + (usage.map { [.keyUsage($0)] } ?? [])
    let builder = CertificateBuilder(
      subject: [.commonName("acquirer")], serial: 1, notBefore: Scene.now.adding(seconds: -86_400),
      notAfter: end, extensions: extensions)
    return try builder.issue(for: key.publicKey, by: nil, signedWith: key)
  }

  @Test(
    "[KS-IMPORT-PUBLIC] [KS-BLOCK-DATA] a public key is wrapped as its SubjectPublicKeyInfo, and read back",
    arguments: [
      (KeyRole.partnerEncryptionEC, KeyKind.p256, "D1 E E"),
      (.partnerEncryptionRSA, .rsa(bits: 2048), "D1 R E"),
    ])
  func stored(role: KeyRole, kind: KeyKind, usage: String) throws {
    let key = try PrivateKey.generate(kind).publicKey
    let record = try take(request(role, key, until: end, members: "kid=acquirer-1 iat=number"))
    #expect((record.usage, record.check, record.notAfter) == (usage, .spki(key.spki), end))
    let reopened = try scene.reopened()
    #expect(reopened.record(for: record.id) == record)
    #expect(reopened.record(for: record.id)?.jweMembers.text == "kid=acquirer-1 iat=number")
    #expect(reopened.table.value.slots[record.id]?.publicKey?.spki == key.spki)
    #expect(reopened.table.value.slots[record.id]?.privateKey == nil)
  }

  /// 2^2048 - 1, which 3 divides; a prime of 2048 bits (RFC 3526, group 14); the square of the
  /// prime of RFC 2409's group 2.
  @Test(
    "[KS-IMPORT-PUBLIC] an RSA modulus that is none is refused",
    arguments: [Modulus.divisible, .prime, .square])
  fileprivate func modulus(_ modulus: Modulus) throws {
    let key = try PublicKey(spki: modulus.spki)
    #expect(try refusal(request(.partnerEncryptionRSA, key, until: end)) == .algorithm)
    #expect(
      try refusal(
        request(.partnerEncryptionRSA, PrivateKey.generate(.rsa(bits: 2048)).publicKey, until: end))
        == nil)
  }

  @Test("[KS-IMPORT-PUBLIC] a shared key is an AES key that wraps")
  func shared() throws {
    let label = try #require(KeyLabel("partner/acquirer"))
    let record = try take(
      KeyImport(
        label: label, role: .partnerEncryptionAES, material: .symmetric(Random.secret(count: 32))))
    #expect((record.usage, record.algorithm) == ("K0 A E", .aes256))
    #expect(record.countsInvocations)
  }

  @Test("[KS-IMPORT-PUBLIC] it ends with its certificate, or earlier")
  func certified() throws {
    let key = try PrivateKey.generate(.p256)
    let certificate = try certificate(key, usage: .keyAgreement, until: end)
    #expect(
      try refusal(
        request(
          .partnerEncryptionEC, key.publicKey, certificate: certificate,
          until: end.adding(seconds: 1))) == .period)
    let record = try take(
      request(.partnerEncryptionEC, key.publicKey, certificate: certificate, until: nil))
    #expect(record.notAfter == certificate.notAfter)
    #expect(try scene.reopened().certificate(of: record.id)?.der == certificate.der)
  }

  @Test("[KS-IMPORT-PUBLIC] a certificate that is another's, a CA's, for signing or over")
  func wrongCertificates() throws {
    let key = try PrivateKey.generate(.p256)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    func refusal(_ key: PrivateKey, _ certificate: Certificate) throws -> ImportRefusal? {
      try self.refusal(
        request(
          key.kind == .p256 ? .partnerEncryptionEC : .partnerEncryptionRSA, key.publicKey,
          certificate: certificate, until: nil))
    }
    #expect(try refusal(key, certificate(.generate(.p256), until: end)) == .certificateKey)
    #expect(try refusal(key, certificate(key, isCA: true, until: end)) == .certificateUse)
    #expect(
      try refusal(key, certificate(key, usage: .digitalSignature, until: end)) == .certificateUse)
    #expect(
      try refusal(key, certificate(key, usage: .keyEncipherment, until: end)) == .certificateUse)
    #expect(try refusal(rsa, certificate(rsa, usage: .keyAgreement, until: end)) == .certificateUse)
    #expect(try refusal(key, certificate(key, until: Scene.now)) == .period)
  }

  @Test("[KS-IMPORT-PUBLIC] no end, an end that is over, one that could leave, another algorithm")
  func refused() throws {
    let ec = try PrivateKey.generate(.p256)
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    #expect(try refusal(request(.partnerEncryptionEC, ec.publicKey, until: nil)) == .period)
    #expect(try refusal(request(.partnerEncryptionEC, ec.publicKey, until: Scene.now)) == .period)
    #expect(
      try refusal(request(.partnerEncryptionEC, ec.publicKey, until: end, exportable: true))
        == .exportability)
    #expect(try refusal(request(.partnerEncryptionEC, rsa.publicKey, until: end)) == .algorithm)
    #expect(try refusal(request(.partnerEncryptionRSA, ec.publicKey, until: end)) == .algorithm)
    #expect(
      try refusal(request(.partnerEncryptionEC, PrivateKey.generate(.p384).publicKey, until: end))
        == .algorithm)
    #expect(try refusal(request(.agreement, ec.publicKey, until: end)) == .algorithm)
    let label = try #require(KeyLabel("partner/acquirer"))
    #expect(
      try refusal(
        KeyImport(
          label: label, role: .partnerEncryptionEC, material: .privateKey(ec), notAfter: end))
        == .algorithm)
  }

  @Test("[KS-JWE-MEMBERS] only of a partner's key")
  func members() throws {
    let label = try #require(KeyLabel("a"))
    let members = try #require(JWEMembers("kid=a"))
    #expect(
      try refusal(
        KeyImport(
          label: label, role: .sealing, material: .symmetric(Random.secret(count: 32)),
          jweMembers: members)) == .jweMembers)
  }

  @Test("[KS-ATTACH] the next certificate of the same key, and with it the key's end")
  func attach() throws {
    let key = try PrivateKey.generate(.p256)
    let record = try take(
      request(
        .partnerEncryptionEC, key.publicKey, certificate: certificate(key, until: end), until: nil))
    let next = try certificate(key, until: end.adding(seconds: 86_400))
    try store.attach(next, to: record.id, anchor: Scene.anchor(2))
    #expect(store.record(for: record.id)?.notAfter == next.notAfter)
    for (wrong, refusal) in [
      (try certificate(.generate(.p256), until: end), ImportRefusal.certificateKey),
      (try certificate(key, isCA: true, until: end), .certificateUse),
    ] {
      #expect(throws: KeyStoreError.importRefused(refusal)) {
        try store.attach(wrong, to: record.id, anchor: Scene.anchor(3))
      }
    }
  }
}

private enum Modulus: Sendable {
  case divisible, prime, square

  var spki: [UInt8] {
    // SEQUENCE { rsaEncryption, BIT STRING { SEQUENCE { n, 65537 } } } around 256 bytes.
    let head = "30820122300d06092a864886f70d01010105000382010f003082010a0282010100"
    return Hex.decode(head + hex + "0203010001") ?? []
  }

  private var hex: String {
    switch self {
    case .divisible: String(repeating: "f", count: 512)
    case .prime: Self.group14.joined()
    case .square: Self.groupTwoSquared.joined()
    }
  }

  private static let group14 = [
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22",
    "514a08798e3404ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6",
    "f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3d",
    "c2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f83655d23dca3ad961c62f356208552bb",
    "9ed529077096966d670c354e4abc9804f1746c08ca18217c32905e462e36ce3be39e772c180e8603",
    "9b2783a2ec07a28fb5c55df06f4c52c9de2bcbf6955817183995497cea956ae515d2261898fa0510",
    "15728e5a8aacaa68ffffffffffffffff",
  ]

  private static let groupTwoSquared = [
    "ffffffffffffffff921fb54442d184699556f620b115a80b1f5a43d393a37a0cba694b7b42283f85",
    "04feb4a8fa080a06ad9fd90cc3df8dcba988d9153adda61b3f58a9ca013666664e95cc8efd32f385",
    "1241e9a23e32083c65e695bef27bf7caa26ef814ca0fae5bfbac779564030f13a8ca2fdde22b0cf1",
    "14c2a635dc1f2d1dc0ca825439ec8a2904208c18020acb48a8037947a0b9e31285367817f89b9ec1",
    "70affb82e3dbfca0db7153d12d8d0c21ae3aae145d2e1ee9b067f5b48bafa35a10ccba67fcd2408f",
    "536d2998aa6fce0804595dc5e0bcfc56649487feb573488578e682787acb10e62ee7a152e03f4e37",
    "6daf335c263358fc0000000000000001",
  ]
}
