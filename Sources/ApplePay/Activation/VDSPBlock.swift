internal import Crypto
internal import Host

/// How a text is padded before encryption for Visa; nothing else depends on this format.
///
/// Two spaces, four random printable characters, the text's length in decimal, the text, `!` up to a multiple of 8.
///
/// Source: the "VDSP formatting" of public implementations (drvpereira/applepay-crypto, `VisaPayloadEncryption`), one of them
/// in full; its length agrees with samples that Fiserv publishes. Visa's own specification is not public: if it differs,
/// change this function.
enum VDSPBlock {
  static func wrap(_ text: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var block = try SecretWriter(capacity: 6 + 4 + text.count + 7)
    block.add("  ")
    for _ in 0..<4 { block.add(try printable()) }
    block.add(open: String(text.count))
    block.add(text)
    while !block.count.isMultiple(of: 8) { block.add(UInt8(ascii: "!")) }
    return try block.contents()
  }

  /// One of the 94 printable characters, each as likely as the others.
  private static func printable() throws(CryptoError) -> UInt8 {
    while true {
      let byte = try Random.secret(count: 1)
      if byte.bytes[0] < 188 { return 33 + byte.bytes[0] % 94 }
    }
  }
}
