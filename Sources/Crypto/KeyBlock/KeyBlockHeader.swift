import Format

/// The part of a key block that anyone can read; the block's MAC binds it to the key (X9.143 §5.3,
/// §6).
package struct KeyBlockHeader: Hashable, Sendable {
  /// Always D in a header that is made here.
  package let version: KeyBlockVersion
  package let usage: HeaderCode
  package let algorithm: KeyBlockAlgorithm
  package let mode: ModeOfUse
  package let keyVersion: KeyVersion
  package let exportability: Exportability
  /// In their order, including a final padding block.
  package let optionalBlocks: [OptionalBlock]

  /// The fields of the sixteen fixed characters, in order.
  package enum Field: Hashable, CaseIterable, Sendable {
    case version, length, usage, algorithm, mode, keyVersion, exportability, blockCount, reserved
  }

  /// A header to write; adds a padding block if the optional blocks do not end on a boundary.
  ///
  /// - Throws: `KeyBlockError.optionalBlock` if an identifier occurs twice; `.length` if there are
  ///   too many.
  package init(
    usage: HeaderCode, algorithm: KeyBlockAlgorithm, mode: ModeOfUse,
    keyVersion: KeyVersion = .unused,
    exportability: Exportability = .nonExportable, optionalBlocks: [OptionalBlock] = []
  ) throws(KeyBlockError) {
    try Self.checkOrder(optionalBlocks)
    let count = Self.fixedCount + optionalBlocks.reduce(0) { $0 + $1.text.count }
    let padding = OptionalBlock.padding(after: count).map { [$0] } ?? []
    guard optionalBlocks.count + padding.count <= 99, count < KeyBlock.longest else {
      throw .length
    }
    self.init(
      .d, usage, algorithm, mode, keyVersion, exportability, optionalBlocks + padding)
  }

  private init(
    _ version: KeyBlockVersion, _ usage: HeaderCode, _ algorithm: KeyBlockAlgorithm,
    _ mode: ModeOfUse, _ keyVersion: KeyVersion, _ exportability: Exportability,
    _ optionalBlocks: [OptionalBlock]
  ) {
    self.version = version
    self.usage = usage
    self.algorithm = algorithm
    self.mode = mode
    self.keyVersion = keyVersion
    self.exportability = exportability
    self.optionalBlocks = optionalBlocks
  }

  /// The optional block with this identifier.
  package func optionalBlock(_ id: HeaderCode) -> OptionalBlock? {
    optionalBlocks.first { $0.id == id }
  }

  static let fixedCount = 16
}

extension KeyBlockHeader {
  /// Parses the header of `block`, and returns how many characters it takes.
  ///
  /// Trust nothing in it before the block's MAC is verified.
  /// - Throws: `KeyBlockError.length`, `.version` if it is not in `versions`, `.header`,
  ///   `.optionalBlock`.
  package static func parse(
    _ block: Span<UInt8>, allowing versions: Set<KeyBlockVersion> = [.d]
  ) throws(KeyBlockError) -> (header: KeyBlockHeader, count: Int) {
    guard block.count >= fixedCount else { throw .length }
    guard let version = KeyBlockVersion(rawValue: block[0]), versions.contains(version) else {
      throw .version(block[0])
    }
    guard declaredLength(block) != nil else { throw .header(.length) }
    guard let usage = HeaderCode(block[5], block[6]) else { throw .header(.usage) }
    guard let algorithm = KeyBlockAlgorithm(rawValue: block[7]) else { throw .header(.algorithm) }
    guard let mode = ModeOfUse(rawValue: block[8]) else { throw .header(.mode) }
    guard let keyVersion = KeyVersion(block[9], block[10]) else { throw .header(.keyVersion) }
    guard let exportability = Exportability(rawValue: block[11]) else {
      throw .header(.exportability)
    }
    guard let blocks = decimal(block, 12, digits: 2) else { throw .header(.blockCount) }
    guard block[14] == zero, block[15] == zero else { throw .header(.reserved) }
    var rest = block.extracting(droppingFirst: fixedCount)
    let optional = try parseOptionalBlocks(&rest, blocks, unit: version.unit)
    let header = KeyBlockHeader(
      version, usage, algorithm, mode, keyVersion, exportability, optional)
    return (header, block.count - rest.count)
  }

  /// The header's text for a block of `length` characters.
  package func text(blockLength length: Int) -> [UInt8] {
    precondition(length <= KeyBlock.longest)
    var text =
      [version.rawValue] + Self.decimal(length, 4) + usage.characters + [
        algorithm.rawValue, mode.rawValue,
      ]
    text +=
      keyVersion.characters + [exportability.rawValue] + Self.decimal(optionalBlocks.count, 2) + [
        Self.zero, Self.zero,
      ]
    for block in optionalBlocks { text += block.text }
    return text
  }

  /// The length of the header in characters.
  package var count: Int { optionalBlocks.reduce(Self.fixedCount) { $0 + $1.text.count } }

  /// The length in characters that `block` declares.
  static func declaredLength(_ block: Span<UInt8>) -> Int? { decimal(block, 1, digits: 4) }
}

extension KeyBlockHeader {
  private static let zero = UInt8(ascii: "0")

  private static func parseOptionalBlocks(_ rest: inout Span<UInt8>, _ count: Int, unit: Int)
    throws(KeyBlockError) -> [OptionalBlock]
  {
    var blocks: [OptionalBlock] = []
    for index in 0..<count {
      do throws(OptionalBlock.Fault) { blocks.append(try OptionalBlock.parse(&rest)) } catch {
        throw .optionalBlock(error, index: index)
      }
    }
    let characters = blocks.reduce(fixedCount) { $0 + $1.text.count }
    guard characters.isMultiple(of: unit) else { throw .optionalBlock(.padding, index: count) }
    try checkOrder(blocks.last?.id == .padding ? blocks.dropLast() : blocks[...])
    return blocks
  }

  /// Checks that each identifier occurs only once, and padding only at the end.
  private static func checkOrder(_ blocks: some Collection<OptionalBlock>) throws(KeyBlockError) {
    var seen: Set<HeaderCode> = []
    for (index, block) in blocks.enumerated() {
      guard block.id != .padding else { throw .optionalBlock(.padding, index: index) }
      guard seen.insert(block.id).inserted else { throw .optionalBlock(.duplicate, index: index) }
    }
  }

  private static func decimal(_ text: Span<UInt8>, _ offset: Int, digits: Int) -> Int? {
    UInt64(digits: text.extracting(offset..<offset + digits)).map { Int($0) }
  }

  private static func decimal(_ value: Int, _ width: Int) -> [UInt8] {
    var (digits, rest): ([UInt8], Int) = ([], value)
    for _ in 0..<width {
      digits.insert(zero + UInt8(rest % 10), at: 0)
      rest /= 10
    }
    return digits
  }
}
