import ApplePay
import CryptoBackend
import Encoding
import SecretMemory
import TestSupport
import Testing

@Suite struct PANEnvelopeTests {
  private static let key = [UInt8](repeating: 0x4B, count: 32), id = [UInt8](repeating: 1, count: 16)
  private static let transaction = [UInt8](repeating: 7, count: 32)
  private static let now = Timestamp(seconds: 1_750_000_000)
  private static func binding(_ merchant: String, _ transaction: [UInt8] = transaction) throws -> PANEnvelope.Binding {
    try #require(PANEnvelope.Binding(merchant: Array(merchant.utf8), transaction: transaction))
  }
  private static let pan = Array("4109370251004320".utf8)

  @Test("[OP-SURR-4] opens for its key, merchant and transaction until its time is over") func opens() throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    #expect(try open(sealed) == Self.pan)
    #expect(try open(sealed, now: Timestamp(seconds: 1_750_000_059)) == Self.pan)
    #expect(try seal() != sealed)
  }

  @Test("[OP-SURR-6] does not open from the second on in which it expires", arguments: [60, 61, 1 << 40]) func expires(after: Int64) throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    #expect(throws: PANError.expired) { _ = try open(sealed, now: Self.now.adding(seconds: after)) }
  }

  @Test("[OP-SURR-6] does not open for another merchant, transaction, key or key id") func bound() throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    for binding in [
      try Self.binding("merchant.com.acmf"), try Self.binding("merchant.com.acm"), try Self.binding(""),
      try Self.binding("merchant.com.acme", [UInt8](repeating: 7, count: 31) + [8]),
    ] { #expect(throws: PANError.notEnvelope) { _ = try open(sealed, for: binding) } }
    #expect(throws: PANError.notEnvelope) { _ = try open(sealed, key: [UInt8](repeating: 0x4C, count: 32)) }
    #expect(throws: PANError.notEnvelope) { _ = try open(sealed, id: [UInt8](repeating: 2, count: 16)) }
  }

  @Test("[OP-SURR-4] a transaction has 32 bytes: of others the identifier could be a part", arguments: [0, 31, 33]) func transactionSize(count: Int) {
    #expect(PANEnvelope.Binding(merchant: [1], transaction: [UInt8](repeating: 7, count: count)) == nil)
  }

  @Test("[OP-SURR-6] no bit of it can be changed, and nothing taken away or added") func altered() throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      #expect(throws: PANError.notEnvelope, "byte \(place)") { _ = try open(changed) }
    }
    for count in 0..<sealed.count { #expect(throws: PANError.notEnvelope) { _ = try open(Array(sealed.prefix(count))) } }
    #expect(throws: PANError.notEnvelope) { _ = try open(sealed + [0]) }
    #expect(throws: PANError.notEnvelope) { _ = try open([UInt8](repeating: 0, count: 4096)) }
  }

  @Test("[OP-SURR-4] the stored key itself opens none of it") func separate() throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    let expiry = Array(sealed.prefix(8)), rest = Array(sealed.dropFirst(8))
    let data = Array("kist pan envelope 1".utf8) + [0] + expiry + Self.transaction + Array("merchant.com.acme".utf8)
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try Envelope(rest.span).open(key: Self.key.span, associatedData: data.span)
    }
  }

  @Test("[OP-SURR-1] what is no number is not sealed", arguments: ["", "123456789", "12345678901234567890", "410937025100432x"])
  func refuses(_ text: String) throws {
    try #require(TestArena.ready)
    #expect(throws: PANError.notPAN) { _ = try seal(Array(text.utf8)) }
  }

  private func seal(_ pan: [UInt8] = pan) throws -> [UInt8] {
    try PANEnvelope.seal(pan.span, key: Self.key.span, id: Self.id.span, for: Self.binding("merchant.com.acme"), expiry: UInt64(Self.now.seconds + 60))
  }

  private func open(
    _ sealed: [UInt8], key: [UInt8] = key, id: [UInt8] = id, for binding: PANEnvelope.Binding? = nil, now: Timestamp = now
  ) throws -> [UInt8] {
    let pan = try PANEnvelope.open(
      sealed.span, key: key.span, id: id.span, for: binding ?? Self.binding("merchant.com.acme"), now: now)
    return pan.bytes.array
  }
}
