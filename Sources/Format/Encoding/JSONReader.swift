import CConstantTime

/// Why a text is not the expected JSON.
package enum JSONReaderError: Error, Equatable {
  /// Not RFC 8259: wrong grammar or UTF-8, or an unpaired surrogate.
  case malformed
  case tooDeep
  /// More values in total, or more members in one object, than the limits allow.
  case tooMany
  /// A text, string or number longer than the limits allow.
  case tooLong
  /// An object contains the same name twice, even if spelled differently.
  case duplicateName
  /// A value of another kind than expected.
  case wrongKind
  /// Text is left over.
  case leftover
}

/// A strict RFC 8259 reader that locates values in a text without copying them.
///
/// The initialiser checks the whole text. Values are ranges of it, so a secret stays in its buffer;
/// strings are compared and copied out with their escapes decoded, but never become a `String`.
package struct JSONReader: ~Escapable {
  package struct Limits: Sendable {
    /// The most bytes of the whole text.
    package var textBytes = 64 << 10
    /// The most bytes of one string or number as written.
    package var tokenBytes = 64 << 10
    package var depth = 16
    package var values = 1024
    package var membersPerObject = 64

    package init() {}
  }

  package enum Kind: Equatable, Sendable { case object, array, string, number, bool, null }

  /// The range of a value in the text; a string's range includes its quotes.
  package struct Value: Equatable, Sendable {
    package let kind: Kind
    package let range: Range<Int>
  }

  package struct Member: Equatable, Sendable {
    package let name, value: Value
  }

  package let text: Span<UInt8>
  package let root: Value
  private let limits: Limits

  /// - Throws: `JSONReaderError` if any part of `text` is wrong.
  @_lifetime(copy text)
  package init(_ text: Span<UInt8>, limits: Limits = Limits()) throws(JSONReaderError) {
    guard text.count <= limits.textBytes else { throw .tooLong }
    var scanner = JSONScanner(text, limits: limits)
    root = try scanner.document()
    self.text = text
    self.limits = limits
  }

  /// Reads a text again that was checked before, whose outermost value is at `root`.
  @_lifetime(copy text)
  package init(checked text: Span<UInt8>, root: Value, limits: Limits = Limits()) {
    self.text = text
    self.root = root
    self.limits = limits
  }

  /// The text of `value` as written.
  @_lifetime(copy self)
  package func bytes(of value: Value) -> Span<UInt8> { text.extracting(value.range) }

  /// The members of `object` in text order.
  @_lifetime(copy self)
  package func members(of object: Value) throws(JSONReaderError) -> Members {
    guard object.kind == .object else { throw .wrongKind }
    return Members(of: object, in: text, limits: limits)
  }

  /// The member of `object` with this name, or nil.
  package func member(_ name: String, of object: Value) throws(JSONReaderError) -> Value? {
    var members = try members(of: object)
    while let member = try members.next() {
      if try string(member.name, equals: name) { return member.value }
    }
    return nil
  }
}

extension JSONReader {
  /// Whether `string`, with its escapes decoded, equals `other`.
  package func string(_ string: Value, equals other: String) throws(JSONReaderError) -> Bool {
    var decoder = try decoder(of: string)
    let plain = decoder.passPlain()
    guard try decoder.next() != nil else { return isText(at: plain, other.utf8) }
    // With escapes, or beyond ASCII.
    decoder = try self.decoder(of: string)
    for scalar in other.unicodeScalars {
      guard try decoder.next() == scalar else { return false }
    }
    return try decoder.next() == nil
  }

  private func isText(at place: Range<Int>, _ other: String.UTF8View) -> Bool {
    guard place.count == other.count else { return false }
    // What is compared decides what is done with the text, so is no secret.
    for (i, byte) in zip(place, other) where kist_declassified(text[i] != byte) { return false }
    return true
  }

  /// The size of `string` in bytes of UTF-8, with its escapes decoded.
  package func decodedCount(of string: Value) throws(JSONReaderError) -> Int {
    var decoder = try decoder(of: string)
    var count = decoder.passPlain().count
    while let scalar = try decoder.next() {
      count += UTF8.width(scalar) + decoder.passPlain().count
    }
    return count
  }

  /// Writes `string` as UTF-8, with its escapes decoded, to the front of `out`.
  ///
  /// - Returns: the number of bytes written.
  /// - Throws: `.tooLong` if `out` is too small.
  package func decode(_ string: Value, into out: inout MutableSpan<UInt8>) throws(JSONReaderError)
    -> Int
  {
    var decoder = try decoder(of: string)
    var written = try copy(decoder.passPlain(), to: &out, at: 0)
    while let scalar = try decoder.next() {
      guard let encoded = UTF8.encode(scalar), encoded.count <= out.count - written else {
        throw .tooLong
      }
      for byte in encoded {
        out[written] = byte
        written += 1
      }
      written += try copy(decoder.passPlain(), to: &out, at: written)
    }
    return written
  }

  private func copy(_ plain: Range<Int>, to out: inout MutableSpan<UInt8>, at place: Int)
    throws(JSONReaderError) -> Int
  {
    guard plain.count <= out.count - place else { throw .tooLong }
    for i in 0..<plain.count { out[place + i] = text[plain.lowerBound + i] }
    return plain.count
  }

  @_lifetime(copy self)
  private func decoder(of string: Value) throws(JSONReaderError) -> JSONStringDecoder {
    guard string.kind == .string else { throw .wrongKind }
    return JSONStringDecoder(text, openingQuote: string.range.lowerBound)
  }

  /// Iterates over the members of an object in a text that was already checked.
  package struct Members: ~Escapable {
    private var scanner: JSONScanner
    private var isFirst = true

    @_lifetime(copy text)
    fileprivate init(of object: Value, in text: Span<UInt8>, limits: Limits) {
      scanner = JSONScanner(text, limits: limits, at: object.range.lowerBound)
    }

    package mutating func next() throws(JSONReaderError) -> Member? {
      defer { isFirst = false }
      return try scanner.nextMember(isFirst: isFirst, depth: 0)
    }
  }
}
