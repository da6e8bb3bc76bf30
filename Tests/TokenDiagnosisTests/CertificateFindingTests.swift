import Ceremony
import Crypto
import Doctor
import Format
import TestSupport
import Testing

@Suite("The certificates given with a token")
struct CertificateFindingTests {
  @Test("tell the token's own from others, in their order")
  func order() throws {
    let token = try DiagnosedToken.fixture("ec")
    let own = try TokenDiagnosisTests.certificate(for: token.key())
    let other = try TokenDiagnosisTests.certificate(for: .generate(.p256))
    let found = try token.diagnose([other, own])
    #expect(found.problems == [])
    #expect(found.certificates.map(\.isTokens) == [false, true])
    #expect(found.certificates[1].merchant == .named("merchant.test"))
    #expect(found.certificates[1].purpose == .processing)
    #expect(try token.diagnose([other]).problems == [.otherCertificate])
    #expect(try token.diagnose([]).problems == [])
  }

  @Test("show a token whose hash names another key")
  func otherKey() throws {
    let token = try DiagnosedToken.fixture("other-public-key")
    #expect(
      try token.diagnose([try TokenDiagnosisTests.certificate(for: token.key())]).problems == [
        .otherCertificate
      ])
  }

  @Test("show a Merchant Identity certificate")
  func identity() throws {
    let token = try DiagnosedToken.fixture("ec")
    let identity = "Apple Pay Merchant Identity:merchant.test"
    #expect(
      try token.diagnose([try TokenDiagnosisTests.certificate(for: token.key(), identity)]).problems
        == [.identityCertificate])
    let other = try token.diagnose([
      try TokenDiagnosisTests.certificate(for: .generate(.p256), identity)
    ])
    #expect(other.problems == [.otherCertificate])
    #expect(other.certificates.map(\.purpose) == [.identity])
  }

  @Test("show a certificate that contradicts itself about the merchant")
  func merchant() throws {
    let token = try DiagnosedToken.fixture("ec")
    let key = try token.key()
    let moment = try #require(Timestamp("2026-01-01T00:00:00Z"))
    let builder = CertificateBuilder(
      subject: [.commonName("Merchant ID: merchant.test"), .userID("merchant.test")], serial: 1,
      notBefore: moment,
      notAfter: moment.adding(seconds: 86_400), extensions: [.merchantIdentifier("merchant.tset")])
    let found = try token.diagnose([
      try builder.issue(for: try PublicKey(spki: key.spki), by: nil, signedWith: key)
    ])
    #expect(found.problems == [.merchantIdentifier])
    // It had ended, too.
    #expect(found.notes == [.certificateNotValid(at: token.clock)])
  }
}
