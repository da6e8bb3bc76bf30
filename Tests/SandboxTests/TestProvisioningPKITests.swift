import ApplePay
import Crypto
import Format
import Host
import KistClient
import TestSupport
import Testing
@testable import Sandbox

@Suite struct TestProvisioningPKITests {
  private let scene: PassScene

  init() throws { scene = try .ready() }

  @Test func aPhonesCertificatesAreTakenUnderTheSandboxsRoot() throws {
    let request = try scene.pki.passRequest()
    let verifier = ProvisioningVerifier(anchor: try TrustAnchor(scene.root.certificate))
    #expect(
      try verifier.verify(request.certificates, now: Scene.now).recipient
        == scene.pki.leaf.certificate.publicKey.point)
    #expect(
      try verifier.verify(
        request.certificates.reversed() + [scene.root.certificate.der], now: Scene.now
      ).recipient.count == 65)
    #expect(scene.pki.leaf.certificate.criticalExtensionOIDs.contains(.appleIssuerEncryptionLeaf))
  }

  @Test func noProductionDaemonTakesThem() throws {
    let production = ProvisioningVerifier(anchor: try .appleRootCAG3())
    let certificates = try scene.pki.passRequest().certificates
    #expect(throws: ProvisioningError.rejected(.chain)) {
      _ = try production.verify(certificates, now: Scene.now)
    }
    let withRoot = certificates + [scene.root.certificate.der]
    #expect(throws: ProvisioningError.rejected(.chainLength)) {
      _ = try production.verify(withRoot, now: Scene.now)
    }
  }

  @Test(arguments: [
    (PassDefect.otherRoot, ProvisioningRejection.chain), (.noLeafMarker, .leafMarker),
    (.expired, .certificateValidity),
  ])
  func aDefectIsOneCheck(_ defect: PassDefect, _ rejection: ProvisioningRejection) throws {
    let verifier = ProvisioningVerifier(anchor: try TrustAnchor(scene.root.certificate))
    let request = try scene.pki.passRequest(defect: defect)
    #expect(throws: ProvisioningError.rejected(rejection)) {
      _ = try verifier.verify(request.certificates, now: Scene.now)
    }
    #expect(scene.signed(request))
  }

  @Test func everyNonceIsSignedAndNoneComesTwice() throws {
    let requests = try (0..<20).map { _ in try scene.pki.passRequest() }
    #expect(
      requests.allSatisfy {
        scene.signed($0) && $0.nonce.count == 4 && (1...256).contains($0.nonceSignature.count)
      })
    #expect(Set(requests.map(\.nonceSignature)).count == 20)
    let bad = try scene.pki.passRequest(defect: .badNonceSignature)
    #expect(!scene.signed(bad))
    #expect(bad.certificates == requests[0].certificates)
  }

  @Test func whatIsWrittenReadsBack() throws {
    let folder = try Folder()
    try scene.pki.write(to: folder.path, on: LinuxDisk())
    try scene.networks { try $0.write(to: folder.path, on: LinuxDisk()) }
    let read = try TestProvisioningPKI(from: folder.path, on: LinuxDisk())
    #expect(
      read.leaf.key.spki == scene.pki.leaf.key.spki
        && read.phone.key.spki == scene.pki.phone.key.spki)
    #expect(read.intermediate.certificate.der == scene.pki.intermediate.certificate.der)
    let networks = try TestNetworks(from: folder.path, on: LinuxDisk())
    #expect(try networks.mastercard.key.spki == scene.networks { $0.mastercard.key.spki })
    #expect(try networks.visa.bytes.array == scene.networks { $0.visa.bytes.array })
    for name in ["phone", "provisioning-leaf", "issuer-visa", "issuer-mastercard"] {
      #expect(try folder.mode(name + ".key") == 0o600)
    }
  }

  @Test(arguments: [
    "phone.key", "provisioning-leaf.cer", "provisioning-intermediate.cer", "issuer-visa.key",
    "issuer-mastercard.cer",
  ])
  func damageIsNoticed(_ name: String) throws {
    let folder = try Folder()
    try scene.pki.write(to: folder.path, on: LinuxDisk())
    try scene.networks { try $0.write(to: folder.path, on: LinuxDisk()) }
    try folder.write(name, "not DER")
    let found = refusal { () throws(SandboxError) in
      _ = try TestProvisioningPKI(from: folder.path, on: LinuxDisk())
      return try TestNetworks(from: folder.path, on: LinuxDisk()).mastercard
    }
    #expect(found == .pki)
  }
}
