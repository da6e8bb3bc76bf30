import ApplePay
import Audit
import Configuration
import Crypto
import Format
import Foundation
import Host
import KeyStore
import Policy
import Review
import TestSupport
import Testing

@testable import Sandbox

@Suite(SharedSandbox()) struct SandboxDirectoryTests {
  private let sandbox: SandboxDirectory

  init() throws { sandbox = try #require(SharedSandbox.current) }

  @Test func itOpensAgain() throws {
    let again = try SandboxDirectory(sandbox.path)
    #expect(again.path == sandbox.path)
    #expect(again.configuration.audit.origin == sandbox.configuration.audit.origin)
    #expect(try again.pki().root.certificate.der == sandbox.pki().root.certificate.der)
    #expect(again.configuration.sandbox?.trustAnchor == sandbox.path + "/pki/root.cer")
    #expect(again.configuration.unlock == .file(sandbox.path + "/kek"))
    #expect(again.clock == nil)
  }

  /// One after the other, since a store opens for one process at a time.
  @Test func itsStoreIsARehearsals() throws {
    #expect(throws: KeyStoreError.wrongKind(.rehearsal)) { try unlock(.production) }
    let store = try unlock(.rehearsal)
    for merchant in TestMerchant.allCases {
      let record = try #require(store.records.first { $0.label.text == merchant.label })
      #expect(record.state == .active)
      #expect(record.role == merchant.role)
      #expect(try store.certificate(of: record.id)?.der == sandbox.certificate(of: merchant).der)
    }
    for key in TestIssuer.allCases {
      let record = try #require(store.records.first { $0.label.text == key.label })
      #expect(record.state == .active && record.role == key.role && record.otp == key.otp)
    }
    #expect(store.strays.isEmpty)
    let verifier = try NoteVerifier(
      vkey: String(contentsOfFile: sandbox.auditKeyPath, encoding: .utf8).dropLast())
    #expect(verifier.name == sandbox.configuration.audit.origin)
    #expect(verifier.spki == store.auditSigning.privateKey?.spki)
  }

  @Test func othersReachTheSocketsAlone() throws {
    for name in ["audit", "backups", "pki", "policy.d", "state"] {
      #expect(try mode(name) == 0o700)
    }
    for name in ["", "run"] { #expect(try mode(name) == 0o711) }
    for name in [
      "kek", "pki/root.key", "pki/sandbox-processing-ec.key", "pki/phone.key",
      "pki/issuer-visa.key",
    ] { #expect(try mode(name) == 0o600) }
    #expect(sandbox.configuration.admin.mode == 0o600)
  }

  @Test(arguments: [
    (UInt32(1000), Opcode.openPaymentToken, TestMerchant.ec.label as String?, "shop" as String?),
    (1000, .openPaymentToken, TestMerchant.rsa.label, "shop"),
    (1000, .verifyPaymentToken, nil, "shop"), (1000, .listKeys, nil, "operator"),
    (1000, .describeKey, TestMerchant.other.label, "operator"), (1000, .importKey, nil, "operator"),
    (1000, .lock, nil, "operator"),
    (1000, .provisionPass, nil, "issuer"), (1000, .provisionPass, TestIssuer.visa.label, "issuer"),
    (1000, .signOTP, TestIssuer.mastercard.label, "issuer"),
    (1000, .seal, TestIssuer.cards.label, "issuer"), (1000, .generateKey, nil, "operator"),
    (1000, .backUp, nil, "operator"),
    (1000, .recordDrill, nil, "auditor"), (1000, .openPaymentToken, TestMerchant.other.label, nil),
    (1000, .signOTP, "issuer/acme/codes", nil),
    (1000, .openPaymentToken, "audit/signing", nil),
    (1, .openPaymentToken, TestMerchant.ec.label, nil),
    (0, .openPaymentToken, TestMerchant.ec.label, nil), (1, .importKey, nil, nil),
    (0, .lock, nil, nil),
  ])
  func policy(_ user: UInt32, _ opcode: Opcode, _ label: String?, _ grant: String?) throws {
    let policy = try PolicyDirectory.load(sandbox.configuration.policyDirectory)
    #expect(decidingGrant(policy, user, opcode, label) == grant)
  }

  @Test(arguments: [Principal.root, 1, 1000]) func thePolicyIsForItsUser(_ user: UInt32) throws {
    let text = Array(SandboxFiles.policy(user: user).utf8)
    let policy = try PolicyDirectory.locate([.init(file: "10.toml", text: text)], accounts: .system)
      .policy
    #expect(decidingGrant(policy, user, .openPaymentToken, TestMerchant.ec.label) == "shop")
    #expect(decidingGrant(policy, user + 1, .openPaymentToken, TestMerchant.ec.label) == nil)
  }

  @Test func itMintsWhatItsKeysOpen() throws {
    let token = try sandbox.mint(TestPayment(), for: .rsa, signedAt: Scene.now)
    let key = try CertifiedKey.read(
      TestMerchant.rsa.rawValue, in: sandbox.path + "/pki", on: LinuxDisk())
    let root = try TrustAnchor(sandbox.pki().root.certificate)
    let verifier = PaymentTokenVerifier(anchor: root)
    #expect(
      try Scene.ready().open(token.json, with: key, verifier: verifier) == TestPayment().plaintext)
  }

  @Test func aDirectoryOfItsOwn() throws {
    #expect(refusal { () throws(SandboxError) in try make(sandbox.path) } == .present)
    let folder = try Folder()
    try folder.write("mine", "")
    #expect(refusal { () throws(SandboxError) in try make(folder.path) } == .present)
    #expect(try SandboxDirectory.isPresent(at: sandbox.path))
    #expect(try !SandboxDirectory.isPresent(at: folder.path))
  }

  @Test(arguments: ["a b", "a\"b", "a\\b", "ä", String(repeating: "x", count: 93)])
  func thePathMustFit(_ name: String) throws {
    let folder = try Folder()
    let path = folder.path + "/" + name
    #expect(refusal { () throws(SandboxError) in try make(path) } == .path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func theParentMustBeThere() throws {
    let folder = try Folder()
    #expect(
      refusal { () throws(SandboxError) in try make(folder.path + "/a/b") }
        == .storage(.disk(DiskError(.makeDirectory, errno: 2))))
    #expect(
      refusal { () throws(SandboxError) in try SandboxDirectory(folder.path + "/a") }
        == .storage(.disk(DiskError(.open, errno: 2))))
  }

  @Test func theLogsNameIsItsOwn() throws {
    #expect(
      try SandboxMaker(path: "/a", now: Scene.now).origin
        != SandboxMaker(path: "/a", now: Scene.now).origin)
  }

  private func make(_ path: String) throws(SandboxError) -> SandboxDirectory {
    try SandboxDirectory.make(path, user: 1000, now: Scene.now)
  }

  private func unlock(_ kind: StoreKind) throws -> KeyStore {
    let kek = try KeyEncryptionKey.read(credential: sandbox.path + "/kek")
    return try LockedKeyStore.open(sandbox.path + "/state/keys").unlock(kek: kek, expecting: kind)
  }

  private func mode(_ name: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: sandbox.path + "/" + name)[.posixPermissions]
        as? Int)
  }

  private func decidingGrant(_ policy: Policy, _ user: UInt32, _ opcode: Opcode, _ label: String?)
    -> String?
  {
    switch policy.explain(
      Caller(uid: user, gid: user, pid: 1), opcode, label: label, at: Timestamp(seconds: 0)
    ).ruling {
    case .allowed(let rule): rule.id
    case .denied: nil
    }
  }
}
