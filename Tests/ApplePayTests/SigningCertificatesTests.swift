import Format
import TestSupport
import Testing
@testable import ApplePay

/// Which of Apple's certificates tokens came under.
@Suite struct SigningCertificatesTests {
  @Test(
    "a verified token's certificate is noted with the newest time; that of a refused one is not, though its chain is Apple's"
  ) func noted() throws {
    try #require(TestArena.ready)
    let token = try TokenCase.fixture("ec")
    let verifier = try token.verifier()
    var forged = token.fields
    forged.data[0] ^= 1
    #expect(throws: TokenError.rejected(.messageDigest)) {
      try forged.verify(verifier, now: token.clock)
    }
    #expect(verifier.chains.count == 1 && verifier.signingCertificates.isEmpty)
    for seconds in [0, 60, 30] as [Int64] {
      _ = try token.fields.verify(verifier, now: token.clock.adding(seconds: seconds))
    }
    let certificate = try #require(verifier.signingCertificates.first)
    #expect(verifier.signingCertificates.count == 1)
    #expect(
      certificate.lastToken == token.clock.adding(seconds: 60)
        && certificate.end > certificate.lastToken && certificate.serial.first == 2)
  }

  @Test("so many are remembered, and the one that was quiet longest goes first") func bounded() {
    let certificates = SigningCertificates()
    let start = Timestamp(seconds: 1_800_000_000)
    func note(_ number: UInt8, after seconds: Int64) {
      certificates.note([2, 1, number], until: start, at: start.adding(seconds: seconds))
    }
    for number in 0..<16 as Range<UInt8> { note(number, after: Int64(number)) }
    note(0, after: 100)
    note(99, after: 101)
    #expect(certificates.all.count == SigningCertificates.limit)
    #expect(certificates.all.map { $0.serial[2] } == [0] + Array(2..<16) + [99])
  }
}
