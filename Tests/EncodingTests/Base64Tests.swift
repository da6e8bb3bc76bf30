import Format
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
  // RFC 4648 §10.
  @Test(
    "agrees with the RFC",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func rfc(_ plain: String, _ text: String) {
    #expect(Base64.encode(Array(plain.utf8)) == text)
    #expect(Base64.decode(text) == Array(plain.utf8))
  }

  @Test("knows its whole alphabet")
  func alphabet() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
    #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
  }

  @Test("takes no other character anywhere")
  func otherCharacters() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for c in UInt8.min...UInt8.max where !alphabet.contains(c) {
      for position in 0..<4 {
        var text = Array("Zm9v".utf8)
        text[position] = c
        guard c != UInt8(ascii: "=") || position < 3 else { continue }
        #expect(Base64.decode(text.span) == nil)
      }
    }
  }

  @Test(
    "refuses what is not canonical",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "=", "====", "Z===", "Zm9vZg==Zm9v",
      "Zg==Zg==", "Zm9v\n", "Z g==", "Zm-_", "Zm9vZ",
    ])
  func refused(_ text: String) { #expect(Base64.decode(text) == nil) }

  @Test("writes nothing past a buffer that is too small")
  func small() {
    let text = Array("Zm9vYmFy".utf8)
    var out = [UInt8](repeating: 0, count: 5)
    var span = out.mutableSpan
    #expect(Base64.decode(text.span, into: &span) == nil)
    #expect(out == [0, 0, 0, 0, 0])
  }
}
