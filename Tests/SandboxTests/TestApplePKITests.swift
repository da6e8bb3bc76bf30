import ApplePay
import Crypto
import Format
import Host
import Testing
@testable import Sandbox

@Suite struct TestApplePKITests {
  let scene: Scene

  init() throws { scene = try .ready() }

  @Test func theMarkersAreApples() {
    let pki = scene.pki
    #expect(
      pki.intermediate.certificate.extensionValue(.appleTokenSigningIntermediate) == [0x05, 0x00])
    for leaf in [pki.ecLeaf, pki.rsaLeaf] {
      #expect(leaf.certificate.extensionValue(.appleTokenSigningLeaf) == [0x05, 0x00])
      #expect(!leaf.certificate.isCA)
      #expect(leaf.certificate.isSigned(by: pki.intermediate.key.publicKey))
    }
    #expect(pki.root.key.kind == .p384)
    #expect(pki.root.certificate.subjectCommonName == "Kist Sandbox Root CA - G3")
    #expect(pki.root.certificate.subjectDER == pki.intermediate.certificate.issuerDER)
    #expect(!pki.root.certificate.hasExtension(.appleTokenSigningIntermediate))
  }

  @Test(arguments: ApplePayTokenVersion.allCases) func theUnmarkedLeafLacksTheMarkerAlone(
    _ version: ApplePayTokenVersion
  ) throws {
    let leaf = scene.pki.leaf(for: version)
    let unmarked = try scene.pki.unmarkedLeaf(for: version)
    #expect(unmarked.certificate.spki == leaf.certificate.spki)
    #expect(
      unmarked.certificate.extensions
        == leaf.certificate.extensions.filter { $0.oid != .appleTokenSigningLeaf })
    #expect(unmarked.certificate.isSigned(by: scene.pki.intermediate.key.publicKey))
  }

  @Test(arguments: TestMerchant.allCases) func aMerchantsCertificateNamesIt(
    _ merchant: TestMerchant
  ) throws {
    let certificate = try scene.merchant(merchant).certificate
    #expect(certificate.subjectUID == merchant.identifier)
    #expect(
      try certificate.merchantIdentifierHash() == SHA256.hash(Array(merchant.identifier.utf8)))
    #expect(certificate.publicKey.kind == merchant.keyKind)
    #expect(TestMerchant(label: merchant.label) == merchant)
  }

  @Test func anUnknownLabelIsNoMerchant() {
    #expect(TestMerchant(label: "merchant/sandbox/processing") == nil)
  }

  @Test func whatIsWrittenReadsBack() throws {
    let folder = try Folder()
    try scene.pki.write(to: folder.path, on: LinuxDisk())
    let read = try TestApplePKI(from: folder.path, on: LinuxDisk())
    let pairs = [
      (read.root, scene.pki.root), (read.intermediate, scene.pki.intermediate),
      (read.ecLeaf, scene.pki.ecLeaf), (read.rsaLeaf, scene.pki.rsaLeaf),
    ]
    for (now, before) in pairs {
      #expect(now.certificate.der == before.certificate.der)
      #expect(now.key.spki == before.key.spki)
    }
    for name in ["root", "intermediate", "leaf-ec", "leaf-rsa"] {
      #expect(try folder.mode(name + ".key") == 0o600)
    }
  }

  @Test func whatIsMissingIsNotMadeUp() throws {
    let folder = try Folder()
    #expect(
      refusal { () throws(SandboxError) in try TestApplePKI(from: folder.path, on: LinuxDisk()) }
        == .storage(.disk(DiskError(.open, errno: 2))))
  }

  @Test(arguments: ["root.cer", "root.key", "intermediate.cer", "leaf-ec.key", "leaf-rsa.key"])
  func damageIsNoticed(_ name: String) throws {
    let folder = try Folder()
    try scene.pki.write(to: folder.path, on: LinuxDisk())
    try folder.write(name, "not DER")
    #expect(
      refusal { () throws(SandboxError) in try TestApplePKI(from: folder.path, on: LinuxDisk()) }
        == .pki)
  }

  @Test func aKeyOfAnotherCertificateIsNoticed() throws {
    let folder = try Folder()
    try scene.pki.write(to: folder.path, on: LinuxDisk())
    let other = CertifiedKey(
      key: scene.pki.intermediate.key, certificate: scene.pki.ecLeaf.certificate)
    try other.write("leaf-ec", in: folder.path, on: LinuxDisk())
    #expect(
      refusal { () throws(SandboxError) in try TestApplePKI(from: folder.path, on: LinuxDisk()) }
        == .pki)
  }
}
