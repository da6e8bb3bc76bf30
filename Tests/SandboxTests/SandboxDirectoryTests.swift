@testable import Sandbox
import ApplePay
import Audit
import Configuration
import CryptoBackend
import Encoding
import Foundation
import KeyStore
import Policy
import SecretMemory
import Storage
import TestSupport
import Testing
import Wire

@Suite struct SandboxDirectoryTests {
  private let folder: Folder
  private let sandbox: SandboxDirectory

  init() throws {
    try #require(TestArena.ready)
    folder = try Folder()
    sandbox = try SandboxDirectory.make(folder.path, user: 1000, now: Scene.now)
  }

  @Test func itOpensAgain() throws {
    let again = try SandboxDirectory(folder.path)
    #expect(again.path == sandbox.path)
    #expect(again.configuration.audit.origin == sandbox.configuration.audit.origin)
    #expect(try again.pki().root.certificate.der == sandbox.pki().root.certificate.der)
    #expect(again.configuration.sandbox?.trustAnchor == sandbox.path + "/pki/root.cer")
    #expect(again.configuration.unlock == .file(sandbox.path + "/kek"))
    #expect(again.clock == nil)
  }

  @Test func itsLogsNameIsItsOwn() throws {
    let other = try Folder()
    #expect(try SandboxDirectory.make(other.path, user: 1000, now: Scene.now).configuration.audit.origin != sandbox.configuration.audit.origin)
  }

  @Test func itsStoreIsARehearsals() throws {
    let kek = try KeyEncryptionKey.read(credential: sandbox.path + "/kek")
    let store = try LockedKeyStore.open(sandbox.path + "/state/keys").unlock(kek: kek, expecting: .rehearsal)
    for merchant in TestMerchant.allCases {
      let record = try #require(store.records.first { $0.label.text == merchant.label })
      #expect(record.state == .active)
      #expect(record.role == merchant.role)
      #expect(try store.certificate(of: record.id)?.der == sandbox.certificate(of: merchant).der)
    }
    #expect(store.strays.isEmpty)
  }

  @Test func productionRefusesItsStore() throws {
    let kek = try KeyEncryptionKey.read(credential: sandbox.path + "/kek")
    #expect(throws: KeyStoreError.wrongKind(.rehearsal)) {
      try LockedKeyStore.open(sandbox.path + "/state/keys").unlock(kek: kek, expecting: .production)
    }
  }

  @Test func theAuditKeyIsTheStores() throws {
    let kek = try KeyEncryptionKey.read(credential: sandbox.path + "/kek")
    let store = try LockedKeyStore.open(sandbox.path + "/state/keys").unlock(kek: kek, expecting: .rehearsal)
    let verifier = try NoteVerifier(vkey: try folder.text("audit.vkey").dropLast())
    #expect(verifier.name == sandbox.configuration.audit.origin)
    #expect(verifier.spki == store.auditSigning.privateKey?.spki)
  }

  @Test func othersReachTheSocketsAlone() throws {
    for name in ["audit", "pki", "policy.d", "state"] { #expect(try folder.mode(name) == 0o700) }
    for name in ["", "run"] { #expect(try folder.mode(name) == 0o711) }
    for name in ["kek", "pki/root.key", "pki/sandbox-processing-ec.key"] { #expect(try folder.mode(name) == 0o600) }
    #expect(sandbox.configuration.admin.mode == 0o600)
  }

  @Test(arguments: [
    (UInt32(1000), Opcode.openPaymentToken, TestMerchant.ec.label, "shop" as String?), (1000, .openPaymentToken, TestMerchant.rsa.label, "shop"),
    (1000, .verifyPaymentToken, TestMerchant.ec.label, "shop"), (1000, .importKey, "merchant/new", "operator"),
    (1000, .openPaymentToken, TestMerchant.other.label, nil), (1, .openPaymentToken, TestMerchant.ec.label, nil),
    (0, .openPaymentToken, TestMerchant.ec.label, nil), (1, .importKey, "merchant/new", nil),
  ])
  func policy(_ user: UInt32, _ opcode: Opcode, _ label: String, _ grant: String?) throws {
    let policy = try PolicyDirectory.load(sandbox.configuration.policyDirectory)
    let verdict = policy.explain(Caller(uid: user, gid: user, pid: 1), opcode, label: label).verdict
    switch verdict {
    case .allowed(let rule): #expect(rule.id == grant)
    case .denied: #expect(grant == nil)
    }
  }

  @Test func rootIsLetInWhereItIsTheUser() throws {
    let other = try Folder()
    let sandbox = try SandboxDirectory.make(other.path, user: 0, now: Scene.now)
    let explanation = try PolicyDirectory.load(sandbox.configuration.policyDirectory).explain(
      Caller(uid: 0, gid: 0, pid: 1), .openPaymentToken, label: TestMerchant.ec.label)
    guard case .allowed = explanation.verdict else {
      Issue.record("root is denied")
      return
    }
  }

  @Test func nobodyCannotHaveOne() throws {
    let other = try Folder()
    guard case .configuration(let error) = refusal({ () throws(SandboxError) in
      try SandboxDirectory.make(other.path, user: Principal.overflow, now: Scene.now)
    })
    else {
      Issue.record("made for the overflow user")
      return
    }
    #expect(error.message.contains("overflow"))
  }

  @Test func theClockIsPinned() throws {
    let moment = try #require(Timestamp("2020-02-29T12:00:00Z"))
    #expect(try sandbox.pinned(at: moment).clock == moment)
    let again = try SandboxDirectory(folder.path)
    #expect(again.clock == moment)
    #expect(again.configuration.audit.origin == sandbox.configuration.audit.origin)
    #expect(try again.pinned(at: nil).clock == nil)
  }

  @Test func theDirectoryMustBeEmpty() throws {
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory.make(folder.path, user: 1000, now: Scene.now) } == .present)
    let other = try Folder()
    try other.write("mine", "")
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory.make(other.path, user: 1000, now: Scene.now) } == .present)
    #expect(try SandboxDirectory.isPresent(at: folder.path))
    #expect(try !SandboxDirectory.isPresent(at: other.path))
  }

  @Test(arguments: ["a b", "a\"b", "a\\b", "ä", String(repeating: "x", count: 93)]) func thePathMustFit(_ name: String) throws {
    let other = try Folder()
    let path = other.path + "/" + name
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory.make(path, user: 1000, now: Scene.now) } == .path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func theParentMustBeThere() throws {
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory.make(folder.path + "/a/b", user: 1000, now: Scene.now) } == .storage(.disk(DiskError(.makeDirectory, errno: 2))))
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory(folder.path + "/a") } == .storage(.disk(DiskError(.open, errno: 2))))
  }

  @Test func aDaemonsDirectoryIsNoSandbox() throws {
    let text = try folder.text("kist.toml")
    let production = try #require(text.range(of: "[sandbox]"))
    try folder.write("kist.toml", String(text[..<production.lowerBound]))
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory(folder.path) } == .notSandbox)
  }

  @Test(arguments: ["kist.toml", "policy.d/10-sandbox.toml"]) func aBrokenFileIsShown(_ name: String) throws {
    try folder.write(name, "nonsense = 1\n")
    guard case .configuration(let error) = refusal({ () throws(SandboxError) in try SandboxDirectory(folder.path) }) else {
      Issue.record("opened")
      return
    }
    #expect(error.file == sandbox.path + "/" + name)
  }

  @Test func itMintsWhatItsKeysOpen() throws {
    let scene = try Scene.ready()
    let token = try sandbox.mint(TestPayment(), for: .rsa, signedAt: Scene.now)
    let key = try CertifiedKey.read(TestMerchant.rsa.rawValue, in: sandbox.path + "/pki", on: LinuxDisk())
    let root = try TrustAnchor(sandbox.pki().root.certificate)
    #expect(try scene.open(token.json, with: key, verifier: PaymentTokenVerifier(anchor: root)) == TestPayment().plaintext)
  }
}
