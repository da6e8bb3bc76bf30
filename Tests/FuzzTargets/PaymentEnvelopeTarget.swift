import ApplePay
import Crypto
import Format
import Host

/// A payment envelope under a known key; a byte in front says whether it is given as it is, or its
/// contents, which are sealed first.
enum PaymentEnvelopeTarget: FuzzTarget {
  static let name = "payment-envelope"
  static let byteLimit = 4096
  private static let key = [UInt8](repeating: 0x5A, count: 32),
    id = [UInt8](repeating: 3, count: 16)
  private static let now = Timestamp(seconds: 1_750_000_000)

  static func seeds() throws -> [[UInt8]] {
    let contents: [[UInt8]] = [
      [1], Array("\u{0A}\u{10}4109370251004320".utf8), [UInt8](repeating: 0x41, count: 300),
    ]
    let sealed = try contents.flatMap { fields in
      try [false, true].map { try seal(fields, once: $0) }
    }
    var expired = sealed[0]
    for place in 9..<17 { expired[place] = 0 }
    return sealed.map { [0] + $0 } + contents.map { [1] + $0 } + [
      [0] + expired, [0] + [UInt8](repeating: 0xFF, count: PaymentEnvelope.overhead + 1),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let rest = Array(input.dropFirst())
    guard first & 1 == 1 else { return _ = try open(rest) }
    guard !rest.isEmpty else { return }
    var sealed = try seal(rest, once: first & 2 != 0)
    try promise(open(sealed) == rest, "something else was opened than sealed")
    let place = Int(first) * 31 % sealed.count
    sealed[place] ^= 1 << (first >> 5)
    try promise((try? open(sealed)) == nil, "an envelope with another byte \(place) opens")
  }

  private static func open(_ bytes: [UInt8]) throws -> [UInt8] {
    let envelope = try PaymentEnvelope(bytes.span)
    let contents = try envelope.open(key: key.span, id: id.span, for: binding(), now: now)
    try promise(now.seconds < envelope.terms.expiry, "an envelope opens that has expired")
    try promise(
      contents.count == bytes.count - PaymentEnvelope.overhead,
      "an envelope holds more or less than its bytes")
    return contents.bytes.array
  }

  private static func seal(_ fields: [UInt8], once: Bool) throws -> [UInt8] {
    let terms = PaymentEnvelope.Terms(opensOnce: once, made: now, lifetime: 60)
    return try PaymentEnvelope.seal(fields.span, key: key.span, id: id.span, for: binding(), terms)
  }

  private static func binding() throws -> PaymentEnvelope.Binding {
    guard
      let binding = PaymentEnvelope.Binding(
        merchant: Array("merchant.com.acme".utf8), transaction: [UInt8](repeating: 7, count: 32))
    else {
      throw BrokenPromise(description: "a transaction of 32 bytes is refused")
    }
    return binding
  }
}
