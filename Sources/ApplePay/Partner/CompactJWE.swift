package import Crypto
package import Format
package import Host

/// A JWE in compact serialisation (RFC 7516 §7.1) for one recipient, with A256GCM. [OP-PARTNER-4]
///
/// What is encrypted is in the arena; header and result are public.
package enum CompactJWE {
  /// RSA-OAEP-256, or ECDH-ES in direct agreement on P-256, as the key is.
  ///
  /// - Throws: `CryptoError.invalidKey` for any other key.
  package static func seal(
    _ plaintext: Span<UInt8>, for key: PublicKey, _ members: JWEMembers, at now: Timestamp
  ) throws(CryptoError) -> String {
    switch key.kind {
    case .rsa:
      let content = try Random.secret(count: contentKeySize)
      let wrapped = try key.encryptOAEP(content.bytes)
      return try seal(
        plaintext, under: content, JWEHeader("RSA-OAEP-256", members, at: now), wrapped)
    case .p256:
      let agreed = try ECDHES(with: key)
      return try seal(
        plaintext, under: agreed.contentKey,
        JWEHeader("ECDH-ES", members, at: now, [.epk(agreed.ephemeral)]), [])
    case .p384, .ed25519: throw .invalidKey
    }
  }

  /// A256GCMKW (RFC 7518 §4.7).
  ///
  /// - Parameter shared: 32 bytes; the caller counts how often it encrypts, for the nonce is
  ///   random.
  package static func seal(
    _ plaintext: Span<UInt8>, underShared shared: Span<UInt8>, _ members: JWEMembers,
    at now: Timestamp
  ) throws(CryptoError) -> String {
    guard shared.count == contentKeySize else { throw .invalidKey }
    let content = try Random.secret(count: contentKeySize)
    let iv = try Random.bytes(ivSize)
    let (wrapped, tag) = try wrap(content.bytes, under: shared, iv: iv)
    return try seal(
      plaintext, under: content, JWEHeader("A256GCMKW", members, at: now, [.iv(iv), .tag(tag)]),
      wrapped)
  }

  static func wrap(_ content: Span<UInt8>, under shared: Span<UInt8>, iv: [UInt8])
    throws(CryptoError) -> (key: [UInt8], tag: [UInt8])
  {
    let sealed = try AESGCM.seal(key: shared, iv: iv.span, plaintext: content)
    return (Array(sealed.dropLast(AESGCM.tagSize)), Array(sealed.suffix(AESGCM.tagSize)))
  }

  /// How much longer than its plaintext's base64 it is at most, in bytes.
  package static let overhead = 3072

  private static func seal(
    _ plaintext: Span<UInt8>, under content: borrowing SecretBuffer, _ header: JWEHeader,
    _ wrapped: [UInt8]
  ) throws(CryptoError) -> String {
    try encrypt(
      plaintext, under: content.bytes, iv: Random.bytes(ivSize), header: header.text, wrapped)
  }

  static func encrypt(
    _ plaintext: Span<UInt8>, under content: Span<UInt8>, iv: [UInt8], header: String,
    _ wrapped: [UInt8]
  ) throws(CryptoError) -> String {
    let protected = Base64URL.encode(Array(header.utf8))
    // The header, as it is sent, is authenticated.
    let sealed = try AESGCM.seal(
      key: content, iv: iv.span, plaintext: plaintext, aad: protected.utf8.span)
    let parts = [wrapped, iv, sealed.dropLast(AESGCM.tagSize), sealed.suffix(AESGCM.tagSize)]
    return ([protected] + parts.map { Base64URL.encode(Array($0)) }).joined(separator: ".")
  }

  private static let contentKeySize = 32
  private static let ivSize = 12
}

/// The protected header of a JWE: what the algorithm needs, then the members that the partner's key
/// has. [OP-PARTNER-4]
struct JWEHeader: Sendable {
  /// JSON without white space.
  let text: String

  /// What a key management algorithm adds (RFC 7518 §4.6.1, §4.7.1).
  enum Parameter: Sendable {
    /// An uncompressed point on P-256, 65 bytes.
    case epk([UInt8])
    case iv([UInt8])
    case tag([UInt8])
  }

  init(
    _ algorithm: String, _ members: JWEMembers, at now: Timestamp, _ parameters: [Parameter] = []
  ) {
    let own = ["\"alg\":\"\(algorithm)\"", "\"enc\":\"A256GCM\""] + parameters.map(\.text)
    text = "{" + (own + members.members.map { $0.json(at: now) }).joined(separator: ",") + "}"
  }
}

extension JWEHeader.Parameter {
  fileprivate var text: String {
    switch self {
    case .epk(let point):
      "\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Base64URL.encode(Array(point[1..<33])))\",\"y\":\"\(Base64URL.encode(Array(point[33...])))\"}"
    case .iv(let bytes): "\"iv\":\"\(Base64URL.encode(bytes))\""
    case .tag(let bytes): "\"tag\":\"\(Base64URL.encode(bytes))\""
    }
  }
}

extension JWEMembers.Member {
  /// Neither name nor value needs an escape.
  fileprivate func json(at now: Timestamp) -> String {
    switch value {
    case .text(let value): "\"\(name)\":\"\(value)\""
    case .timeAsNumber: "\"\(name)\":\(now.seconds)"
    case .timeAsText: "\"\(name)\":\"\(now.seconds)\""
    }
  }
}

/// ECDH-ES on P-256 in direct agreement (RFC 7518 §4.6): an ephemeral key, and the content key
/// agreed with it.
package struct ECDHES: ~Copyable {
  /// The ephemeral public key, 65 bytes 04 ‖ X ‖ Y.
  package let ephemeral: [UInt8]
  /// 32 bytes, for A256GCM.
  package let contentKey: SecretBuffer

  /// - Throws: `CryptoError.invalidKey` for a key that is not on P-256.
  package init(with key: PublicKey) throws(CryptoError) {
    guard key.kind == .p256, let point = key.point else { throw .invalidKey }
    let own = try EphemeralKey.generate()
    let z = try own.agree(with: point.span)
    contentKey = try Self.derive(z.bytes, for: "A256GCM", count: 32)
    ephemeral = own.point
  }

  /// The Concat KDF of §4.6.2, with one hash.
  ///
  /// - Parameters:
  ///   - algorithm: `enc`, since the agreed key encrypts the content.
  ///   - partyU: the value of `apu`, `partyV` that of `apv`; we send neither.
  ///   - count: up to 32 bytes.
  package static func derive(
    _ z: Span<UInt8>, for algorithm: String, partyU: [UInt8] = [], partyV: [UInt8] = [], count: Int
  ) throws(CryptoError) -> SecretBuffer {
    let lengths = [Array(algorithm.utf8), partyU, partyV].map {
      UInt32($0.count).bigEndianBytes + $0
    }
    let otherInfo = lengths.flatMap { $0 } + UInt32(count * 8).bigEndianBytes
    return try OneStepKDF.sha256(z: z, otherInfo: otherInfo.span, count: count)
  }
}

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
