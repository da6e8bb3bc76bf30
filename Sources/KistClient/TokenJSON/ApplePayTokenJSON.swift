// TokenJSON: payment tokens and passes in the JSON of Apple's frameworks and of the web.
// It unpacks what apps and web pages hand on, and says what is wrong with it.
// The daemon must not link it: clients send the fields in a message.

package import Format

/// A payment token's fields, extracted from what Apple's frameworks give to an app or a web page;
/// nothing is verified.
///
/// Accepts the JSON of `paymentData`; a payment or token of PassKit or Apple Pay JS, or a response
/// of W3C's Payment Request, that contains it; and base64 of any of these. Source: Apple, "Payment
/// token format reference".
package struct ApplePayTokenJSON: Equatable, Sendable {
  /// What the content key is derived from, depending on the version.
  package enum KeySource: Equatable, Sendable {
    /// EC_v1: SubjectPublicKeyInfo.
    case ephemeralPublicKey([UInt8])
    /// RSA_v1: the RSA ciphertext.
    case wrappedKey([UInt8])
  }

  package var keySource: KeySource
  /// Ciphertext and tag.
  package var data: [UInt8]
  /// CMS SignedData.
  package let signature: [UInt8]
  package var publicKeyHash: [UInt8]
  package var transactionID: [UInt8]
  /// Empty if the token has none.
  package var applicationData: [UInt8]

  package var version: ApplePayTokenVersion {
    switch keySource {
    case .ephemeralPublicKey: .ecV1
    case .wrappedKey: .rsaV1
    }
  }

  package init(_ text: Span<UInt8>) throws(ApplePayTokenJSONError) {
    do throws(ApplePayTokenFlaws) { try self.init(examining: text) } catch { throw error.first }
  }

  /// The same, but reports every flaw.
  package init(examining text: Span<UInt8>) throws(ApplePayTokenFlaws) {
    try self.init(text, wrappings: 8)
  }
}

extension ApplePayTokenJSON {
  /// - Parameter wrappings: how many further objects or base64 texts may enclose the token.
  private init(_ text: Span<UInt8>, wrappings: Int) throws(ApplePayTokenFlaws) {
    guard wrappings > 0 else { throw ApplePayTokenFlaws(.notToken) }
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else { throw ApplePayTokenFlaws(.simulator) }
    if let mark = trimmed.encodingMark { throw ApplePayTokenFlaws(mark) }
    if trimmed[0] != UInt8(ascii: "{"), trimmed[0] != UInt8(ascii: "\"") {
      guard trimmed.count <= Self.limits.textBytes else { throw ApplePayTokenFlaws(.limits) }
      guard let decoded = Base64.decode(trimmed) else { throw ApplePayTokenFlaws(.notJSON) }
      try self.init(decoded.span, wrappings: wrappings - 1)
      return
    }
    let document: TokenDocument
    do throws(JSONReaderError) {
      document = TokenDocument(json: try JSONReader(trimmed, limits: Self.limits))
    } catch {
      throw ApplePayTokenFlaws(ApplePayTokenJSONError(error))
    }
    try self.init(document, document.json.root, wrappings: wrappings)
  }

  private init(_ document: borrowing TokenDocument, _ value: JSONReader.Value, wrappings: Int)
    throws(ApplePayTokenFlaws)
  {
    guard wrappings > 0 else { throw ApplePayTokenFlaws(.notToken) }
    switch value.kind {
    case .object:
      if let inner = try document.wrapped(in: value) {
        try self.init(document, inner, wrappings: wrappings - 1)
      } else {
        try self.init(document, token: value)
      }
    case .string:
      let inner: [UInt8]
      do throws(ApplePayTokenJSONError) { inner = try document.text(value) } catch {
        throw ApplePayTokenFlaws(error)
      }
      try self.init(inner.span, wrappings: wrappings - 1)
    case .null: throw ApplePayTokenFlaws(.simulator)
    case .array, .number, .bool: throw ApplePayTokenFlaws(.notToken)
    }
  }

  private init(_ document: borrowing TokenDocument, token: JSONReader.Value)
    throws(ApplePayTokenFlaws)
  {
    guard !document.isEmpty(token) else { throw ApplePayTokenFlaws(.simulator) }
    var flaws: [ApplePayTokenJSONError] = []
    let version = flaws.note(try document.version(of: token))
    let before = flaws.count
    data = flaws.note(try document.base64(.data, of: token)) ?? []
    signature = flaws.note(try document.base64(.signature, of: token)) ?? []
    if flaws.count == before {
      guard !data.isEmpty || !signature.isEmpty else { throw ApplePayTokenFlaws(.simulator) }
      if data.isEmpty { flaws.append(.empty(.data)) }
      if signature.isEmpty { flaws.append(.empty(.signature)) }
    }
    guard let header = flaws.note(try document.header(of: token)) else {
      throw ApplePayTokenFlaws(flaws[0], Array(flaws.dropFirst()))
    }
    publicKeyHash = flaws.note(try document.base64(.publicKeyHash, of: header)) ?? []
    transactionID = flaws.note(try document.hex(.transactionID, of: header)) ?? []
    applicationData = flaws.note(try document.optionalHex(.applicationData, of: header)) ?? []
    switch version {
    case .ecV1, nil:
      keySource = .ephemeralPublicKey(
        version == nil ? [] : flaws.note(try document.base64(.ephemeralPublicKey, of: header)) ?? []
      )
    case .rsaV1:
      keySource = .wrappedKey(flaws.note(try document.base64(.wrappedKey, of: header)) ?? [])
    }
    if let first = flaws.first { throw ApplePayTokenFlaws(first, Array(flaws.dropFirst())) }
  }

  /// A payment of Apple Pay JS contains contacts besides the token, and each layer of base64 adds a
  /// third.
  private static var limits: JSONReader.Limits {
    var limits = JSONReader.Limits()
    limits.textBytes = 512 << 10
    limits.tokenBytes = 512 << 10
    return limits
  }
}

extension [ApplePayTokenJSONError] {
  /// What `read` gives; nil, and its error in the list, if it fails.
  fileprivate mutating func note<R>(_ read: @autoclosure () throws(ApplePayTokenJSONError) -> R)
    -> R?
  {
    do throws(ApplePayTokenJSONError) { return try read() } catch { append(error) }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// The encoding that the first bytes reveal, if it is not plain UTF-8: by a byte order mark or a
  /// zero next to the first brace.
  fileprivate var encodingMark: ApplePayTokenJSONError? {
    if count >= 3, self[0] == 0xEF, self[1] == 0xBB, self[2] == 0xBF { return .byteOrderMark }
    guard count >= 2 else { return nil }
    return switch (self[0], self[1]) {
    case (0xFE, 0xFF), (0xFF, 0xFE), (0, _), (_, 0): .utf16
    default: nil
    }
  }

  /// The text without surrounding white space.
  fileprivate var trimmed: Span<UInt8> {
    @_lifetime(copy self)
    get {
      func isSpace(_ c: UInt8) -> Bool { c == 0x20 || c == 0x0A || c == 0x0D || c == 0x09 }
      var start = 0
      var end = count
      while start < end, isSpace(self[start]) { start += 1 }
      while end > start, isSpace(self[end - 1]) { end -= 1 }
      return extracting(start..<end)
    }
  }
}

/// The members of a token and its header, with their names in JSON.
package enum ApplePayTokenMember: String, CaseIterable, Sendable {
  case version, data, signature, header
  case ephemeralPublicKey, wrappedKey, publicKeyHash
  case transactionID = "transactionId"
  case applicationData
}

/// Why a text is not a payment token.
package enum ApplePayTokenJSONError: Error, Equatable {
  /// Neither JSON nor base64 of JSON.
  case notJSON
  /// UTF-8 with a byte order mark.
  case byteOrderMark
  /// JSON in UTF-16.
  case utf16
  /// An object contains the same member name twice.
  case duplicate
  /// Longer, more deeply nested or with more values than any token.
  case limits
  /// The JSON is not an object, or too many objects are nested around a token.
  case notToken
  case missing(ApplePayTokenMember)
  /// The member is of the wrong kind, or not base64 or hex.
  case malformed(ApplePayTokenMember)
  /// The member is an empty string, although others are not.
  case empty(ApplePayTokenMember)
  /// A version other than `EC_v1` and `RSA_v1`.
  case unknownVersion
  /// A token from Apple's simulator: its fields are empty, and nothing can open it.
  case simulator
}

/// All reasons why a text is not a payment token.
package struct ApplePayTokenFlaws: Error, Equatable {
  package let first: ApplePayTokenJSONError
  package let others: [ApplePayTokenJSONError]

  package var all: [ApplePayTokenJSONError] { [first] + others }

  init(_ first: ApplePayTokenJSONError, _ others: [ApplePayTokenJSONError] = []) {
    self.first = first
    self.others = others
  }
}

extension ApplePayTokenJSONError {
  /// Maps the reason why the whole text cannot be read.
  init(_ error: JSONReaderError) {
    switch error {
    case .duplicateName: self = .duplicate
    case .tooDeep, .tooMany, .tooLong: self = .limits
    case .malformed, .wrongKind, .leftover: self = .notJSON
    }
  }
}

extension ApplePayTokenVersion {
  package init?(name: some StringProtocol) {
    guard let version = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = version
  }
}
