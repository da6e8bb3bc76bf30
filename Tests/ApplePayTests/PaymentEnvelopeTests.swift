import ApplePay
import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite struct PaymentEnvelopeTests {
  private static let key = [UInt8](repeating: 0x4B, count: 32),
    id = [UInt8](repeating: 1, count: 16)
  private static let transaction = [UInt8](repeating: 7, count: 32)
  private static let now = Timestamp(seconds: 1_750_000_000)
  private static func binding(_ merchant: String, _ transaction: [UInt8] = transaction) throws
    -> PaymentEnvelope.Binding
  {
    try #require(PaymentEnvelope.Binding(merchant: Array(merchant.utf8), transaction: transaction))
  }
  private static let fields = Array("fields of a payment".utf8)

  @Test(
    "[OP-ENV-2] opens for its key, merchant and transaction until its time is over",
    arguments: [false, true]) func opens(once: Bool) throws
  {
    try #require(TestArena.ready)
    let sealed = try seal(once: once)
    #expect(
      sealed.count == Self.fields.count + PaymentEnvelope.overhead && PaymentEnvelope.overhead == 62
    )
    #expect(try open(sealed) == Self.fields)
    #expect(try open(sealed, now: Self.now.adding(seconds: 59)) == Self.fields)
    let terms = try PaymentEnvelope(sealed.span).terms
    #expect(
      terms == PaymentEnvelope.Terms(opensOnce: once, made: Self.now, lifetime: 60)
        && terms.made == 1_750_000_000 && terms.expiry == 1_750_000_060)
    #expect(try seal(once: once) != sealed)
  }

  @Test(
    "[OP-ENV-4] does not open from the second on in which it expires", arguments: [60, 61, 1 << 40])
  func expires(after: Int64) throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    #expect(throws: PANError.expired) { _ = try open(sealed, now: Self.now.adding(seconds: after)) }
  }

  @Test("[OP-ENV-4] does not open for another merchant, transaction, key or key id") func bound()
    throws
  {
    try #require(TestArena.ready)
    let sealed = try seal()
    for binding in [
      try Self.binding("merchant.com.acmf"), try Self.binding("merchant.com.acm"),
      try Self.binding(""),
      try Self.binding("merchant.com.acme", [UInt8](repeating: 7, count: 31) + [8]),
    ] { #expect(throws: PANError.notEnvelope) { _ = try open(sealed, for: binding) } }
    #expect(throws: PANError.notEnvelope) {
      _ = try open(sealed, key: [UInt8](repeating: 0x4C, count: 32))
    }
    #expect(throws: PANError.notEnvelope) {
      _ = try open(sealed, id: [UInt8](repeating: 2, count: 16))
    }
  }

  @Test(
    "[OP-ENV-2] a transaction has 32 bytes: of others the identifier could be a part",
    arguments: [0, 31, 33]) func transactionSize(count: Int)
  {
    #expect(
      PaymentEnvelope.Binding(merchant: [1], transaction: [UInt8](repeating: 7, count: count))
        == nil)
  }

  @Test("[OP-ENV-4] no bit of it can be changed, and nothing taken away or added") func altered()
    throws
  {
    try #require(TestArena.ready)
    let sealed = try seal()
    for place in sealed.indices {
      for bit in 0..<8 as Range<UInt8> {
        var changed = sealed
        changed[place] ^= 1 << bit
        #expect(throws: PANError.notEnvelope, "bit \(bit) of byte \(place)") {
          _ = try open(changed)
        }
      }
    }
    for count in 0..<sealed.count {
      #expect(throws: PANError.notEnvelope) { _ = try open(Array(sealed.prefix(count))) }
    }
    #expect(throws: PANError.notEnvelope) { _ = try open(sealed + [0]) }
    #expect(throws: PANError.notEnvelope) { _ = try open([UInt8](repeating: 0, count: 4096)) }
  }

  @Test("[OP-ENV-2] the stored key itself opens none of it") func separate() throws {
    try #require(TestArena.ready)
    let sealed = try seal()
    let terms = Array(sealed.prefix(17)), rest = Array(sealed.dropFirst(17))
    let data =
      Array("kist payment envelope 1".utf8) + [0] + terms + Self.transaction
      + Array("merchant.com.acme".utf8)
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try Envelope(rest.span).open(key: Self.key.span, associatedData: data.span)
    }
  }

  /// The form as PROTOCOL.md has it, put together here.
  @Test("[OP-ENV-2] what another implementation seals by the specification opens") func specified()
    throws
  {
    try #require(TestArena.ready)
    let terms: [UInt8] = [
      1, 0, 0, 0, 0, 0x68, 0x4E, 0xE1, 0x80, 0, 0, 0, 0, 0x68, 0x4E, 0xE1, 0xBC,
    ]
    let data =
      Array("kist payment envelope 1".utf8) + [0] + terms + Self.transaction
      + Array("merchant.com.acme".utf8)
    let none: [UInt8] = []
    let own = try HKDFSHA256.derive(
      secret: Self.key.span, salt: none.span, info: data.span, count: 32)
    let sealed =
      terms
      + (try Envelope.seal(
        Self.fields.span, key: own.bytes, id: Self.id.span, associatedData: data.span))
    #expect(try open(sealed) == Self.fields)
    #expect(try PaymentEnvelope(sealed.span).terms.opensOnce)
  }

  private func seal(once: Bool = false) throws -> [UInt8] {
    try PaymentEnvelope.seal(
      Self.fields.span, key: Self.key.span, id: Self.id.span,
      for: Self.binding("merchant.com.acme"),
      PaymentEnvelope.Terms(opensOnce: once, made: Self.now, lifetime: 60))
  }

  private func open(
    _ sealed: [UInt8], key: [UInt8] = key, id: [UInt8] = id,
    for binding: PaymentEnvelope.Binding? = nil, now: Timestamp = now
  ) throws -> [UInt8] {
    let fields = try PaymentEnvelope(sealed.span).open(
      key: key.span, id: id.span, for: binding ?? Self.binding("merchant.com.acme"), now: now)
    return fields.bytes.array
  }
}
