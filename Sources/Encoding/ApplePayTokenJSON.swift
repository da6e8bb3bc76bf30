/// The token formats Apple documents, as their JSON names them.
package enum ApplePayTokenVersion: String, CaseIterable, Sendable {
  case ecV1 = "EC_v1"
  case rsaV1 = "RSA_v1"
}

/// The members of a token and its header, as Apple's JSON names them.
package enum ApplePayTokenMember: String, CaseIterable, Sendable {
  case version, data, signature, header
  case ephemeralPublicKey, wrappedKey, publicKeyHash
  case transactionID = "transactionId"
  case applicationData
}

/// Why text is not a payment token.
package enum ApplePayTokenJSONError: Error, Equatable, Sendable {
  /// Neither JSON nor base64 of JSON.
  case notJSON
  /// JSON that is no object, or too many objects around one another.
  case notToken
  case missing(ApplePayTokenMember)
  /// The member is of another kind, repeated, or not base64 or hex.
  case malformed(ApplePayTokenMember)
  /// A version other than `EC_v1` and `RSA_v1`.
  case unknownVersion
  /// A token of Apple's simulator, whose fields are empty: nothing can open it.
  case simulator
}

/// A payment token's fields, unpacked from what Apple's frameworks hand to an app or a page; nothing is verified.
///
/// Takes the JSON of `paymentData`, Apple Pay JS's payment, token or `paymentData` around it, and base64 of any of these.
/// Source: Apple, "Payment token format reference".
package struct ApplePayTokenJSON: Equatable, Sendable {
  /// What the content key comes from; it goes with the version.
  package enum KeySource: Equatable, Sendable {
    /// EC_v1: SubjectPublicKeyInfo.
    case ephemeralPublicKey([UInt8])
    /// RSA_v1: the RSA ciphertext.
    case wrappedKey([UInt8])
  }

  package let keySource: KeySource
  /// Ciphertext and tag.
  package let data: [UInt8]
  /// CMS SignedData.
  package let signature: [UInt8]
  package let publicKeyHash: [UInt8]
  package let transactionID: [UInt8]
  /// Empty where the token has none.
  package let applicationData: [UInt8]

  package var version: ApplePayTokenVersion {
    switch keySource {
    case .ephemeralPublicKey: .ecV1
    case .wrappedKey: .rsaV1
    }
  }

  package init(_ text: Span<UInt8>) throws(ApplePayTokenJSONError) { try self.init(text, wrappings: 4) }
}

extension ApplePayTokenJSON {
  /// - Parameter wrappings: how many more objects or base64 texts may be around the token.
  private init(_ text: Span<UInt8>, wrappings: Int) throws(ApplePayTokenJSONError) {
    guard wrappings > 0 else { throw .notToken }
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else { throw .simulator }
    if trimmed[0] != UInt8(ascii: "{"), trimmed[0] != UInt8(ascii: "\"") {
      guard let decoded = Base64.decode(trimmed) else { throw .notJSON }
      try self.init(decoded.span, wrappings: wrappings - 1)
      return
    }
    let document: TokenDocument
    do throws(JSONReaderError) {
      document = TokenDocument(json: try JSONReader(trimmed, limits: Self.limits))
    } catch {
      throw .notJSON
    }
    try self.init(document, document.json.root, wrappings: wrappings)
  }

  private init(_ document: borrowing TokenDocument, _ value: JSONReader.Value, wrappings: Int) throws(ApplePayTokenJSONError) {
    guard wrappings > 0 else { throw .notToken }
    switch value.kind {
    case .object:
      if let inner = try document.wrapped(in: value) {
        try self.init(document, inner, wrappings: wrappings - 1)
      } else {
        try self.init(document, token: value)
      }
    case .string:
      let inner = try document.text(value)
      try self.init(inner.span, wrappings: wrappings - 1)
    case .null: throw .simulator
    case .array, .number, .bool: throw .notToken
    }
  }

  private init(_ document: borrowing TokenDocument, token: JSONReader.Value) throws(ApplePayTokenJSONError) {
    guard !document.isEmpty(token) else { throw .simulator }
    let version = try document.version(of: token)
    data = try document.base64(.data, of: token)
    signature = try document.base64(.signature, of: token)
    guard !data.isEmpty, !signature.isEmpty else { throw .simulator }
    guard let header = try document.member(.header, of: token) else { throw .missing(.header) }
    guard header.kind == .object else { throw .malformed(.header) }
    guard !document.isEmpty(header) else { throw .simulator }
    publicKeyHash = try document.base64(.publicKeyHash, of: header)
    transactionID = try document.hex(.transactionID, of: header)
    applicationData = try document.optionalHex(.applicationData, of: header)
    switch version {
    case .ecV1: keySource = .ephemeralPublicKey(try document.base64(.ephemeralPublicKey, of: header))
    case .rsaV1: keySource = .wrappedKey(try document.base64(.wrappedKey, of: header))
    }
  }

  /// A payment of Apple Pay JS carries contacts and the token; base64 makes both a third longer each time.
  private static var limits: JSONReader.Limits {
    var limits = JSONReader.Limits()
    limits.textBytes = 512 << 10
    limits.tokenBytes = 512 << 10
    return limits
  }
}

/// One JSON text whose members are read as a token's fields.
private struct TokenDocument: ~Escapable {
  let json: JSONReader

  @_lifetime(copy json)
  init(json: JSONReader) { self.json = json }

  func member(_ member: ApplePayTokenMember, of object: JSONReader.Value) throws(ApplePayTokenJSONError) -> JSONReader.Value? {
    do throws(JSONReaderError) { return try json.member(member.rawValue, of: object) } catch { throw .malformed(member) }
  }

  func wrapped(in object: JSONReader.Value) throws(ApplePayTokenJSONError) -> JSONReader.Value? {
    do throws(JSONReaderError) {
      if let paymentData = try json.member("paymentData", of: object) { return paymentData }
      return try json.member("token", of: object)
    } catch { throw .notToken }
  }

  func isEmpty(_ object: JSONReader.Value) -> Bool {
    guard var members = try? json.members(of: object) else { return false }
    return (try? members.next()) == .some(nil)
  }

  func version(of token: JSONReader.Value) throws(ApplePayTokenJSONError) -> ApplePayTokenVersion {
    let name = String(decoding: try text(.version, of: token), as: UTF8.self)
    guard let version = ApplePayTokenVersion(rawValue: name) else { throw .unknownVersion }
    return version
  }

  func base64(_ member: ApplePayTokenMember, of object: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    let text = try text(member, of: object)
    guard let bytes = Base64.decode(text.span) else { throw .malformed(member) }
    return bytes
  }

  func hex(_ member: ApplePayTokenMember, of object: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    let text = try text(member, of: object)
    guard let bytes = Hex.decode(text.span) else { throw .malformed(member) }
    return bytes
  }

  /// Serialisers of optional fields write null where Apple writes nothing.
  func optionalHex(_ member: ApplePayTokenMember, of object: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    guard let value = try self.member(member, of: object), value.kind != .null else { return [] }
    return try hex(member, of: object)
  }

  func text(_ member: ApplePayTokenMember, of object: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    guard let value = try self.member(member, of: object) else { throw .missing(member) }
    do throws(ApplePayTokenJSONError) { return try text(value) } catch { throw .malformed(member) }
  }

  func text(_ string: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    do throws(JSONReaderError) {
      var bytes = [UInt8](repeating: 0, count: try json.decodedCount(of: string))
      var span = bytes.mutableSpan
      _ = try json.decode(string, into: &span)
      return bytes
    } catch {
      throw .notToken
    }
  }
}

extension Span where Element == UInt8 {
  /// Without the white space around it.
  fileprivate var trimmed: Span<UInt8> {
    @_lifetime(copy self)
    get {
      func isSpace(_ c: UInt8) -> Bool { c == 0x20 || c == 0x0A || c == 0x0D || c == 0x09 }
      var (start, end) = (0, count)
      while start < end, isSpace(self[start]) { start += 1 }
      while end > start, isSpace(self[end - 1]) { end -= 1 }
      return extracting(start..<end)
    }
  }
}
