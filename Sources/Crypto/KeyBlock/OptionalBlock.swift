package import Format

/// One optional block of a header: an identifier and printable ASCII (X9.143 §6).
package struct OptionalBlock: Hashable, Sendable {
  package let id: HeaderCode
  package let data: [UInt8]

  package enum Fault: Error, Hashable {
    case id, length, data, duplicate, padding
  }

  /// The longest data that a two-digit length allows; implementations disagree about the longer
  /// form.
  package static let longestData = 0xFF - 4

  /// A block to write: at most `longestData` printable characters, and not padding, which the
  /// header adds itself.
  package init?(id: HeaderCode, data: [UInt8]) {
    guard id != .padding, data.count <= Self.longestData,
      data.allSatisfy(id.isHexadecimal ? UpperHex.isDigit : Self.printable)
    else { return nil }
    self.init(trusted: id, data)
  }

  /// `LB`: a label.
  package static func label(_ text: some StringProtocol) -> OptionalBlock? {
    OptionalBlock(id: .label, data: Array(text.utf8))
  }

  /// `KC`: the check value of the wrapped AES key.
  package static func check(of key: KeyCheckValue) -> OptionalBlock {
    OptionalBlock(trusted: .keyCheckValue, cmac + key.hex)
  }

  /// `KP`: the check value of the KBPK.
  package static func check(ofProtectionKey kbpk: KeyCheckValue) -> OptionalBlock {
    OptionalBlock(trusted: .protectionKeyCheckValue, cmac + kbpk.hex)
  }

  /// `TC`: when the key was created, in whole seconds of UTC, such as `20200818004100Z`.
  package static func created(_ moment: Timestamp) -> OptionalBlock {
    OptionalBlock(trusted: .timeOfCreation, digits(moment))
  }

  /// `HM`: the hash of an HMAC key (X9.143 §6.3.6).
  package static func hmac(_ hash: HashAlgorithm) -> OptionalBlock {
    switch hash {
    case .sha256: OptionalBlock(trusted: .hashAlgorithm, Array("21".utf8))
    case .sha384: OptionalBlock(trusted: .hashAlgorithm, Array("22".utf8))
    case .sha512: OptionalBlock(trusted: .hashAlgorithm, Array("23".utf8))
    }
  }

  /// `HM` for a key for one-time passwords, which may use SHA-1.
  package static func hmac(_ hash: OTPHash) -> OptionalBlock {
    switch hash {
    case .sha1: OptionalBlock(trusted: .hashAlgorithm, Array("10".utf8))
    case .sha256: hmac(HashAlgorithm.sha256)
    case .sha512: hmac(HashAlgorithm.sha512)
    }
  }

  /// The padding that brings a header of `count` characters to a multiple of sixteen; nil if none
  /// is needed.
  static func padding(after count: Int) -> OptionalBlock? {
    let unit = KeyBlockVersion.d.unit
    guard !count.isMultiple(of: unit) else { return nil }
    let zeros = unit - 1 - (count + 3) % unit
    return OptionalBlock(trusted: .padding, Array(repeating: UInt8(ascii: "0"), count: zeros))
  }

  static func printable(_ character: UInt8) -> Bool { (0x20...0x7E).contains(character) }

  init(trusted id: HeaderCode, _ data: [UInt8]) {
    self.id = id
    self.data = data
  }

  private static let cmac = Array("01".utf8)

  private static func digits(_ moment: Timestamp) -> [UInt8] {
    moment.wholeSeconds.utf8.filter(\.isDigit) + [UInt8(ascii: "Z")]
  }
}

extension OptionalBlock {
  /// Identifier, length and data; the length is in the extended form only if two digits cannot hold
  /// it.
  var text: [UInt8] {
    let short = data.count + 4
    if short <= 0xFF { return id.characters + digits(short, 2) + data }
    return id.characters + Array("0004".utf8) + digits(data.count + 10, 4) + data
  }

  /// Parses the block at the front of `rest` and removes it.
  static func parse(_ rest: inout Span<UInt8>) throws(Fault) -> OptionalBlock {
    guard rest.count >= 2, let id = HeaderCode(rest[0], rest[1]) else { throw .id }
    guard let short = number(rest, 2, digits: 2) else { throw .length }
    let (head, count) = short == 0 ? (10, try extendedCount(rest)) : (4, short)
    guard count >= head else { throw .length }
    guard count <= rest.count else { throw .data }
    let data = rest.extracting(head..<count).array
    guard data.allSatisfy(id.isHexadecimal ? UpperHex.isDigit : printable) else { throw .data }
    rest = rest.extracting(droppingFirst: count)
    return OptionalBlock(trusted: id, data)
  }

  /// Parses the extended form: `00`, the number of the length's digits, then the length in
  /// characters (X9.143:2021 examples 8.5, 8.6).
  ///
  /// Each length has only one encoding: four digits, and only if two are too few.
  private static func extendedCount(_ rest: Span<UInt8>) throws(Fault) -> Int {
    guard number(rest, 4, digits: 2) == 4, let count = number(rest, 6, digits: 4), count > 0xFF
    else { throw .length }
    return count
  }

  /// The number that `digits` upper-case hexadecimal characters at `offset` denote.
  private static func number(_ text: Span<UInt8>, _ offset: Int, digits: Int) -> Int? {
    guard text.count >= offset + digits else { return nil }
    var value = 0
    for i in offset..<offset + digits {
      guard UpperHex.isDigit(text[i]), let digit = Hex.value(text[i]) else { return nil }
      value = value << 4 | Int(digit)
    }
    return value
  }

  private func digits(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map {
      UpperHex.digit(UInt8(truncatingIfNeeded: value >> (4 * (width - 1 - $0))) & 15)
    }
  }
}
