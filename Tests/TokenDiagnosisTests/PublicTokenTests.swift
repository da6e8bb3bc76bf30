import Ceremony
import Crypto
import Doctor
import Format
import Host
import TestSupport
import Testing

@Suite("Diagnosis of public tokens", .enabled(if: Vectors.present, "needs ../shared/vectors"))
struct PublicTokenTests {
  @Test(
    "finds nothing wrong at their time, and their certificate",
    arguments: DiagnosedToken.vectors("tokens"))
  func good(_ token: DiagnosedToken) throws {
    let found = try token.diagnose(try Self.certificates(token))
    #expect(found.problems == [])
    #expect(found.isSigned)
    #expect(found.certificates.allSatisfy { $0.isTokens && $0.purpose == .processing })
    #expect(found.signingTime == token.clock)
  }

  @Test(
    "finds them stale today, and nothing else",
    arguments: DiagnosedToken.vectors("tokens") + DiagnosedToken.vectors("signature-only"))
  func stale(_ token: DiagnosedToken) throws {
    #expect(try token.diagnose(later: 10 * 365 * 86_400).problems.map(\.name) == ["stale"])
  }

  @Test("knows Apple's sandbox")
  func sandbox() throws {
    #expect(try DiagnosedToken.vector("payu-sandbox-mc").diagnose().notes == [.appleSandbox])
    #expect(try DiagnosedToken.vector("gala-2014-visa").diagnose().notes == [])
  }

  @Test("names the wrong certificate")
  func wrongCertificate() throws {
    let wrong = try DiagnosedToken.vector("gala-2023-wrong-key")
    #expect(try wrong.diagnose(try Self.certificates(wrong)).problems == [.otherCertificate])
    let token = try DiagnosedToken.vector("basistheory-ec-ios")
    let others = try Self.certificates(try DiagnosedToken.vector("gala-2023-mc"))
    #expect(try token.diagnose(others).problems == [.otherCertificate])
  }

  @Test("names what a home-made token's signature lacks")
  func attached() throws {
    #expect(
      try DiagnosedToken.vector("pedicel-readme").diagnose().problems.map(\.name) == [
        "signature-cms"
      ])
  }

  private static func certificates(_ token: DiagnosedToken) throws -> [Certificate] {
    try #require(TestArena.ready)
    guard let pem = token.certificate else { return [] }
    return try PrivateKeyFile.decode(Array(pem.utf8).span, passphrase: nil).certificates
  }
}
