import Crypto
import Format
import Host

@testable internal import Crypto

/// A TR-31 key block under a known KBPK; a byte in front says whether it is given as it is, gets a
/// right MAC first, or mutation would never pass it, or may be of an old version.
enum KeyBlockTarget: FuzzTarget {
  static let name = "key-block"
  static let byteLimit = 2048
  private static let kbpk = [UInt8](repeating: 0x5A, count: 32)

  static func seeds() throws -> [[UInt8]] {
    let key = [UInt8](repeating: 7, count: 32)
    let check = try KeyCheckValue.aes(key.span)
    let label = OptionalBlock.label(String(repeating: "kist ", count: 40)).map { [$0] } ?? []
    let headers = [
      try KeyBlockHeader(usage: .dataEncryption, algorithm: .aes, mode: .encryptDecrypt),
      try KeyBlockHeader(
        usage: .cmac, algorithm: .aes, mode: .generateVerify,
        optionalBlocks: [.check(of: check)] + label),
      try KeyBlockHeader(
        usage: .hmac, algorithm: .hmac, mode: .generateOnly,
        optionalBlocks: [.hmac(HashAlgorithm.sha512)]),
    ]
    let blocks = try headers.map { try KeyBlock.wrap(key: key.span, header: $0, kbpk: kbpk.span) }
    let extended =
      Array("D0144D0AN00N0100LB00040105".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 251)
    let old = [
      "A0072K0TN00N0000F40D5672C6D0EC86F860BA88D44D00F0CA9A8CE8CD2F640287A9A9EB",
      "B0104B0TX12S0100KS1800604B120F9292800000BB68BE8680A400D9191AD4ECE45B6E6C0D21C4738A52190E248719E24B433627",
    ]
    return (blocks + [extended, Array("D9999D0AN00N9900".utf8)]).flatMap { [[0] + $0, [1] + $0] }
      + old.map { [2] + Array($0.utf8) }
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let text = Array(input.dropFirst())
    if first == 2 { return try openOld(text) }
    let (header, count) = try KeyBlockHeader.parse(text.span)
    guard let declared = KeyBlockHeader.declaredLength(text.span), declared <= KeyBlock.longest
    else { return }
    try promise(
      header.text(blockLength: declared) == Array(text.prefix(count)),
      "a header encodes to other characters")
    if first & 1 == 1 {
      try openSealed(header, Array(text.dropFirst(count)))
    } else {
      try check(try KeyBlock.unwrap(text.span, kbpk: kbpk.span))
    }
  }

  private static func openOld(_ text: [UInt8]) throws {
    let opened = try KeyBlock.unwrap(
      text.span, kbpk: kbpk.span.extracting(first: 16), allowing: Set(KeyBlockVersion.allCases))
    try promise(opened.key.count > 0, "a key block without a key")
  }

  /// Puts `plaintext` behind the header, as somebody who has the KBPK could, whatever it is.
  private static func openSealed(_ header: KeyBlockHeader, _ plaintext: [UInt8]) throws {
    let version = KeyBlockVersion.d
    let padded = Array(plaintext.prefix(plaintext.count / version.unit * version.unit))
    let count = header.count + 2 * (padded.count + version.macCount)
    guard !padded.isEmpty, count <= KeyBlock.longest else { return }
    let text = header.text(blockLength: count)
    let keys = try BlockKeys(kbpk: kbpk.span, for: version)
    let message = text + padded
    let mac = try BlockCipher.aes.cmac(key: keys.kbak.bytes, message: message.span)
    let ciphertext = try BlockCipher.aes.encrypt(
      key: keys.kbek.bytes, iv: mac.span, plaintext: padded.span)
    let block = text + UpperHex.encode(ciphertext.span) + UpperHex.encode(mac.span)
    try check(try KeyBlock.unwrap(block.span, kbpk: kbpk.span))
  }

  /// What was opened can be wrapped and opened again.
  private static func check(_ opened: consuming KeyBlock.Opened) throws {
    let header = opened.header
    let key = opened.takeKey()
    guard let wrapped = try? KeyBlock.wrap(key: key.bytes, header: header, kbpk: kbpk.span) else {
      return
    }
    let again = try KeyBlock.unwrap(wrapped.span, kbpk: kbpk.span)
    let isSame = again.header == header && ConstantTime.equal(again.key.bytes, key.bytes)
    try promise(isSame, "a key block is another one when it is wrapped again")
  }
}
