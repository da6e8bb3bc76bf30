import Crypto
import Host
import TestSupport
import Testing

@testable import Crypto

@Suite struct KeyBlockTests {
  static let kbpk = [UInt8](0..<32)
  static let key = [UInt8](100..<132)

  private func header(_ algorithm: KeyBlockAlgorithm) throws -> KeyBlockHeader {
    let label = try #require(OptionalBlock.label("merchant/acme/processing-2026"))
    return try KeyBlockHeader(
      usage: .dataEncryption, algorithm: algorithm, mode: .encryptDecrypt, optionalBlocks: [label])
  }

  private func unwrap(_ text: [UInt8], _ kbpk: [UInt8] = kbpk) -> Result<[UInt8], KeyBlockError> {
    unwrapped(text, kbpk)
  }

  init() throws { try #require(TestArena.ready) }

  static let lengths: [(KeyBlockAlgorithm, key: Int, block: Int)] = [
    // One length for all symmetric keys of an algorithm, whatever the key's.
    (.aes, 16, 192), (.aes, 24, 192), (.aes, 32, 192), (.hmac, 1, 192), (.hmac, 32, 192),
    (.hmac, 64, 256),
    (.tripleDES, 16, 160), (.tripleDES, 24, 160), (.des, 8, 160),
    (.ellipticCurve, 121, 352), (.rsa, 1190, 2496),
  ]

  @Test(arguments: lengths) func aWrappedKeyComesBack(
    _ algorithm: KeyBlockAlgorithm, _ count: Int, _ blockCount: Int
  ) throws {
    let key = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let header = try header(algorithm)
    for kbpkCount in [16, 24, 32] {
      let kbpk = Array(Self.kbpk.prefix(kbpkCount))
      let block = try KeyBlock.wrap(key: key.span, header: header, kbpk: kbpk.span)
      #expect(block.count == blockCount)
      #expect(unwrap(block, kbpk) == .success(key))
      #expect(try KeyBlockHeader.parse(block.span).header == header)
    }
  }

  @Test func noTwoBlocksAreAlike() throws {
    let header = try header(.aes)
    let blocks = try (0..<8).map { _ in
      try KeyBlock.wrap(key: Self.key.span, header: header, kbpk: Self.kbpk.span)
    }
    #expect(Set(blocks).count == 8)
  }

  static let refusedKeys: [(KeyBlockAlgorithm, Int)] = [
    (.aes, 0), (.aes, 15), (.aes, 31), (.aes, 33), (.tripleDES, 8), (.tripleDES, 32), (.des, 16),
    (.hmac, 0), (.rsa, 0), (.rsa, 8192),
  ]

  /// [KS-BLOCK-KEY]
  @Test(arguments: refusedKeys) func aKeyThatIsNotTheAlgorithmsIsNotWrapped(
    _ algorithm: KeyBlockAlgorithm, _ count: Int
  ) throws {
    let key = [UInt8](repeating: 1, count: count)
    let header = try header(algorithm)
    #expect(throws: KeyBlockError.keyLength) {
      try KeyBlock.wrap(key: key.span, header: header, kbpk: Self.kbpk.span)
    }
  }

  @Test func aBlockThatFourDigitsCannotMeasureIsNotWrapped() throws {
    let key = [UInt8](repeating: 1, count: 5000)
    let header = try header(.rsa)
    #expect(throws: KeyBlockError.length) {
      try KeyBlock.wrap(key: key.span, header: header, kbpk: Self.kbpk.span)
    }
  }

  @Test(arguments: [0, 15, 17, 31, 33]) func anotherKBPKSizeIsRefused(_ count: Int) throws {
    let kbpk = [UInt8](repeating: 1, count: count)
    let (header, block) = (
      try header(.aes),
      try KeyBlock.wrap(key: Self.key.span, header: header(.aes), kbpk: Self.kbpk.span)
    )
    #expect(throws: KeyBlockError.kbpk) {
      try KeyBlock.wrap(key: Self.key.span, header: header, kbpk: kbpk.span)
    }
    #expect(unwrap(block, kbpk) == .failure(.kbpk))
  }

  /// [KS-BLOCK-MAC]
  @Test func aWrongKBPKIsRefused() throws {
    let block = try KeyBlock.wrap(key: Self.key.span, header: header(.aes), kbpk: Self.kbpk.span)
    for i in Self.kbpk.indices {
      var kbpk = Self.kbpk
      kbpk[i] ^= 1
      #expect(unwrap(block, kbpk) == .failure(.mac))
    }
  }

  /// Every character, replaced by another one of its alphabet, by one of another alphabet, and with
  /// each bit turned over.
  @Test func noCharacterCanBeChanged() throws {
    let block = try KeyBlock.wrap(key: Self.key.span, header: header(.aes), kbpk: Self.kbpk.span)
    for i in block.indices {
      for other in [
        UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "A"), UInt8(ascii: "z"), 0, 0xFF,
      ] + (0..<8).map({ block[i] ^ 1 << $0 })
      where other != block[i] {
        var changed = block
        changed[i] = other
        guard case .failure = unwrap(changed) else {
          Issue.record("character \(i) may be \(other)")
          continue
        }
      }
    }
  }

  /// [KS-BLOCK-LENGTH]
  @Test func nothingCanBeCutOffOrAdded() throws {
    let block = try KeyBlock.wrap(key: Self.key.span, header: header(.aes), kbpk: Self.kbpk.span)
    for count in 0..<block.count {
      #expect(unwrap(Array(block.prefix(count))) != .success(Self.key))
    }
    #expect(unwrap(block + [UInt8(ascii: "0")]) == .failure(.length))
    #expect(unwrap(block + block.suffix(32)) == .failure(.length))
    #expect(unwrap(block + [0x0A]) == .failure(.length))
  }

  /// [KS-BLOCK-HEX]
  @Test func lowerCaseIsAnotherTextAndRefused() throws {
    let block = try KeyBlock.wrap(key: Self.key.span, header: header(.aes), kbpk: Self.kbpk.span)
    let lower = Array(String(decoding: block.suffix(128), as: UTF8.self).lowercased().utf8)
    #expect(unwrap(block.dropLast(128) + lower) == .failure(.hex))
  }
}

/// The key as plain bytes, which only a test may have.
func unwrapped(_ text: [UInt8], _ kbpk: [UInt8], allowing versions: Set<KeyBlockVersion> = [.d])
  -> Result<[UInt8], KeyBlockError>
{
  do throws(KeyBlockError) {
    let opened = try KeyBlock.unwrap(text.span, kbpk: kbpk.span, allowing: versions)
    return .success(opened.key.bytes.indices.map { opened.key.bytes[$0] })
  } catch {
    return .failure(error)
  }
}
