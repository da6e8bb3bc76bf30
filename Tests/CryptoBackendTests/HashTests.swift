import Crypto
import Format
import Host
import TestSupport
import Testing

@Suite struct HashTests {
  /// FIPS 180-4 examples and the empty message.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func known(text: String, expected: String) {
    #expect(SHA256.hash(Array(text.utf8)).hex == expected)
  }

  /// However a message is cut, the hash is the same.
  @Test func pieces() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = SHA256.hash(message)
    for cut in [0, 1, 55, 56, 63, 64, 65, 128, 299, 300] {
      let two = SHA256.hash(message.span.extracting(0..<cut), message.span.extracting(cut..<300))
      #expect(two == whole)
      var hasher = SHA256.Hasher()
      for byte in message.prefix(cut) { hasher.update(byte: byte) }
      hasher.update(message.span.extracting(cut..<300))
      let mixed = hasher.finish()
      #expect(mixed == whole)
    }
  }

  @Test func digestText() {
    let digest = SHA256.hash(Array("abc".utf8))
    #expect(Digest256(hex: digest.hex) == digest)
    #expect(Digest256(digest.bytes) == digest)
    #expect(Digest256(hex: digest.hex.dropLast(2)) == nil)
    #expect(Digest256(hex: "zz" + digest.hex.dropFirst(2)) == nil)
    #expect(Digest256(digest.bytes + [0]) == nil)
    #expect(Set([digest, SHA256.hash([]), digest]).count == 2)
  }
}
