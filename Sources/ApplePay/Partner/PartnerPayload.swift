package import Crypto
package import Host

/// The fields that a partner gets, as one JSON object in the arena. [OP-PARTNER-3]
package struct PartnerPayload: ~Copyable {
  private var json: SecretWriter

  /// - Parameter capacity: the sum of `capacity(of:_:)` of all fields.
  package init(capacity: Int) throws(CryptoError) {
    json = try SecretWriter(capacity: capacity + 2)
    json.add("{")
  }

  /// The most bytes that a field takes; for a number, of an empty value.
  package static func capacity(of name: String, _ value: Span<UInt8>) -> Int {
    name.utf8.count + SecretWriter.escapeExpansion * value.count + 24
  }

  package mutating func add(_ name: String, text: Span<UInt8>) {
    add(name)
    json.add("\"")
    json.addJSON(text)
    json.add("\"")
  }

  package mutating func add(_ name: String, number: UInt64) {
    add(name)
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      json.add(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// - Parameter json: one value, which is well-formed.
  package mutating func add(_ name: String, json value: Span<UInt8>) {
    add(name)
    json.add(value)
  }

  package consuming func finish() throws(CryptoError) -> SecretBuffer {
    json.add("}")
    return try json.contents()
  }

  private mutating func add(_ name: String) {
    json.add(json.count == 1 ? "\"" : ",\"")
    json.add(open: name)
    json.add("\":")
  }
}
