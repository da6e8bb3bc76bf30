package import Crypto
package import Format
package import Host

/// A tokenization authentication value of Mastercard's MDES: JSON with the issuer's signature over
/// card data.
///
/// Sources: the sample of Apple's guide §X and public implementations for version 2, Paymentology
/// and Fiserv for 3 and 4.
package struct MastercardTAV: ~Escapable {
  package enum Version: UInt8, CaseIterable, Sendable {
    case two = 2
    case three = 3
    case four = 4
  }

  /// Bytes of the longest value.
  package static let cap = 2048
  /// MDES takes no value that is valid for longer, in seconds.
  package static let longestValidity: Int64 = 30 * 86_400
  /// Mastercard's advice, in seconds.
  static let usualValidity: Int64 = 30 * 60

  private let version: Version
  private let number, expiry, tokenReference: Span<UInt8>
  private let until: String
  private let keyAlias: String?

  /// - Parameters:
  ///   - expiry: MMYY.
  ///   - tokenReference: the token's unique reference in version 2, or empty.
  ///   - until: when the value expires, after `now` and at most 30 days later; nil for half an
  ///     hour. Version 2 has none.
  ///   - keyAlias: the key's name at MDES; only version 4 has it.
  /// - Throws: `.input`.
  @_lifetime(copy number, copy expiry, copy tokenReference)
  package init(
    _ version: Version, number: Span<UInt8>, expiry: Span<UInt8>, tokenReference: Span<UInt8>,
    until: Timestamp?, keyAlias: String?,
    at now: Timestamp
  ) throws(ActivationError) {
    guard AccountNumber.isOne(number), AccountNumber.isExpiry(expiry), tokenReference.count <= 64
    else { throw .input }
    let hasTimestamp = version != .two
    guard hasTimestamp ? tokenReference.isEmpty : until == nil else { throw .input }
    guard version != .four || keyAlias != nil else { throw .input }
    let end = until ?? now.adding(seconds: Self.usualValidity)
    guard now < end, end <= now.adding(seconds: Self.longestValidity) else { throw .input }
    self.version = version
    self.until = end.wholeSeconds
    self.keyAlias = version == .four ? keyAlias : nil
    self.number = number
    self.expiry = expiry
    self.tokenReference = tokenReference
  }

  /// The JSON, its members in the order of their names.
  ///
  /// - Parameter key: RSA; signs with RSASSA-PKCS1-v1_5 and SHA-256.
  package func sign(with key: PrivateKey) throws(ActivationError) -> SecretBuffer {
    do throws(CryptoError) {
      let text = try signedText()
      let signature = try key.sign(text.bytes)
      return try json(signature.span)
    } catch { throw ActivationError(error) }
  }

  /// Version 2: card number, `Y`, expiry, `N` or `Y` and the reference; later ones: the values in
  /// their stated order.
  private func signedText() throws(CryptoError) -> SecretBuffer {
    var text = try SecretWriter(capacity: 256)
    switch version {
    case .two:
      text.add(number)
      text.add("Y")
      text.add(expiry)
      text.add(tokenReference.isEmpty ? "N" : "Y")
      text.add(tokenReference)
    case .three:
      text.add(number)
      text.add("|")
      text.add(expiry)
      text.add("|")
      text.add(open: until)
    case .four:
      text.add(open: until)
      text.add("|")
      text.add(number)
      text.add("|")
      text.add(expiry)
    }
    return try text.contents()
  }

  private func json(_ signature: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var json = try SecretWriter(capacity: Self.cap)
    switch version {
    case .two: json.add("{\"expirationDateIncluded\":\"true\",\"signature\":\"")
    case .three:
      json.add(open: "{\"dataValidUntilTimestamp\":\"\(until)\",")
      json.add(
        "\"includedFieldsInOrder\":\"accountNumber|accountExpiry|dataValidUntilTimestamp\",\"signature\":\""
      )
    case .four:
      json.add(open: "{\"dataValidUntilTimestamp\":\"\(until)\",")
      json.add("\"includedFieldsInOrder\":\"dataValidUntilTimestamp|accountNumber|accountExpiry\",")
      json.add(open: "\"keyAlias\":\"\(keyAlias ?? "")\",\"signature\":\"")
    }
    json.addBase64(signature)
    json.add("\",\"signatureAlgorithm\":\"RSA-SHA256\",")
    if version == .two {
      json.add(open: "\"tokenUniqueReferenceIncluded\":\"\(!tokenReference.isEmpty)\",")
    }
    json.add(open: "\"version\":\"\(version.rawValue)\"}")
    return try json.contents()
  }
}
