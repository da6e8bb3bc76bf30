/// Why bytes are not the expected BER.
package enum BERError: Error, Equatable {
  /// An element extends beyond its container.
  case truncated
  /// A tag of more than one byte, or a misplaced end-of-contents mark.
  case badTag
  /// A length of more than four bytes, or an indefinite length on a primitive.
  case badLength
  case tooDeep
  case tooManyElements
  /// Another element than expected, or none.
  case unexpected
  /// Elements are left over.
  case leftover
}

/// One element of X.690 BER with a tag of one byte; it refers to the bytes that it was read from.
package struct BERElement: ~Escapable {
  package enum LengthForm: Equatable, Sendable {
    /// Definite and as short as possible, as DER demands.
    case minimal
    case padded
    case indefinite
  }

  package let tag: UInt8
  package let lengthForm: LengthForm
  /// Header, contents and any end-of-contents mark.
  package let encoded: Span<UInt8>
  package let content: Span<UInt8>
  private let depth: Int

  @_lifetime(copy encoded)
  fileprivate init(
    tag: UInt8, lengthForm: LengthForm, encoded: Span<UInt8>, content: Range<Int>, depth: Int
  ) {
    self.tag = tag
    self.lengthForm = lengthForm
    self.encoded = encoded
    self.content = encoded.extracting(content)
    self.depth = depth
  }

  /// A reader for the elements inside, which only constructed elements have.
  package var children: BERReader {
    @_lifetime(copy self)
    get throws(BERError) {
      guard tag & 0x20 != 0 else { throw .unexpected }
      guard depth < BERReader.maximumDepth else { throw .tooDeep }
      return BERReader(content, depth: depth + 1)
    }
  }
}

/// Reads BER from any source, element by element, without copying or allocating.
///
/// It supports definite and indefinite lengths (X.690 §8.1.3), tags of one byte and lengths of at
/// most four bytes. Readers nest at most `maximumDepth` deep, and each reads at most
/// `maximumElements` elements.
package struct BERReader: ~Escapable {
  package static let maximumDepth = 16
  package static let maximumElements = 256

  private let bytes: Span<UInt8>
  private let depth: Int
  private var position = 0
  private var budget = BERReader.maximumElements

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) { self.init(bytes, depth: 0) }

  package var isAtEnd: Bool { position == bytes.count }

  /// The tag of the next element, or nil at the end.
  package var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Reads the next element, whatever its tag.
  ///
  /// - Throws: `BERError`, `.unexpected` at the end.
  @_lifetime(copy self)
  package mutating func next() throws(BERError) -> BERElement {
    guard !isAtEnd else { throw .unexpected }
    let start = position
    let header = try header(at: start)
    let contentEnd: Int
    if let count = header.contentCount {
      contentEnd = header.content + count
      position = contentEnd
    } else {
      contentEnd = try endOfContents(from: header.content, depth: depth + 1)
      position = contentEnd + 2
    }
    return BERElement(
      tag: header.tag, lengthForm: header.form, encoded: bytes.extracting(start..<position),
      content: header.content - start..<contentEnd - start, depth: depth)
  }

  /// Reads the next element, which must have this tag.
  @_lifetime(copy self)
  package mutating func next(_ tag: UInt8) throws(BERError) -> BERElement {
    guard nextTag == tag else { throw .unexpected }
    return try next()
  }

  /// Checks that nothing is left over.
  package func finish() throws(BERError) {
    guard isAtEnd else { throw .leftover }
  }

  @_lifetime(copy bytes)
  fileprivate init(_ bytes: Span<UInt8>, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }
}

extension BERReader {
  private struct Header {
    let tag: UInt8
    let form: BERElement.LengthForm
    /// Where the contents begin.
    let content: Int
    /// Nil for the indefinite form.
    let contentCount: Int?
  }

  private mutating func header(at start: Int) throws(BERError) -> Header {
    guard budget > 0 else { throw .tooManyElements }
    budget -= 1
    guard bytes.count - start >= 2 else { throw .truncated }
    let tag = bytes[start]
    let first = bytes[start + 1]
    guard tag != 0, tag & 0x1F != 0x1F else { throw .badTag }
    if first == 0x80 {
      guard tag & 0x20 != 0 else { throw .badLength }
      return Header(tag: tag, form: .indefinite, content: start + 2, contentCount: nil)
    }
    let lengthBytes = first < 0x80 ? 0 : Int(first & 0x7F)
    guard lengthBytes <= 4 else { throw .badLength }
    let content = start + 2 + lengthBytes
    guard content <= bytes.count else { throw .truncated }
    var count = lengthBytes == 0 ? Int(first) : 0
    for i in start + 2..<content { count = count << 8 | Int(bytes[i]) }
    guard count <= bytes.count - content else { throw .truncated }
    let isMinimal = lengthBytes == 0 || count >= 0x80 && count >> (8 * (lengthBytes - 1)) != 0
    return Header(
      tag: tag, form: isMinimal ? .minimal : .padded, content: content, contentCount: count)
  }

  /// The offset of the end-of-contents mark of an indefinite element.
  private mutating func endOfContents(from start: Int, depth: Int) throws(BERError) -> Int {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    var at = start
    while true {
      guard bytes.count - at >= 2 else { throw .truncated }
      if bytes[at] == 0, bytes[at + 1] == 0 { return at }
      let header = try header(at: at)
      if let count = header.contentCount {
        at = header.content + count
      } else {
        at = try endOfContents(from: header.content, depth: depth + 1) + 2
      }
    }
  }
}
