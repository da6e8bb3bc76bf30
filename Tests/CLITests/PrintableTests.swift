import Format
import Testing

@testable import kist

@Suite struct PrintableTests {
  /// Each with what `line` makes of it, and JSON.
  static let hostile: [(text: Unicode.Scalar, line: String, json: String)] = [
    ("\0", #"\u{0}"#, #"\u0000"#), ("\t", #"\u{9}"#, #"\u0009"#), ("\n", #"\u{a}"#, #"\u000a"#),
    ("\r", #"\u{d}"#, #"\u000d"#),
    ("\u{1B}", #"\u{1b}"#, #"\u001b"#), ("\u{7F}", #"\u{7f}"#, #"\u007f"#),
    ("\u{85}", #"\u{85}"#, #"\u0085"#), ("\u{9B}", #"\u{9b}"#, #"\u009b"#),
    ("\u{AD}", #"\u{ad}"#, #"\u00ad"#), ("\u{61C}", #"\u{61c}"#, #"\u061c"#),
    ("\u{200B}", #"\u{200b}"#, #"\u200b"#),
    ("\u{200F}", #"\u{200f}"#, #"\u200f"#), ("\u{2028}", #"\u{2028}"#, #"\u2028"#),
    ("\u{2029}", #"\u{2029}"#, #"\u2029"#),
    ("\u{202A}", #"\u{202a}"#, #"\u202a"#), ("\u{202E}", #"\u{202e}"#, #"\u202e"#),
    ("\u{2066}", #"\u{2066}"#, #"\u2066"#),
    ("\u{2069}", #"\u{2069}"#, #"\u2069"#), ("\u{FEFF}", #"\u{feff}"#, #"\ufeff"#),
    ("\u{E0001}", #"\u{e0001}"#, #"\udb40\udc01"#),
  ]

  @Test(arguments: hostile.indices) func aCharacterThatSteers(_ index: Int) {
    let (scalar, line, json) = Self.hostile[index]
    let text = "a\(scalar)b"
    #expect(!Printable.isPrintable(scalar) && !Printable.isLine(text))
    #expect(Printable.line(text) == "a\(line)b")
    #expect(Printable.field(text) == "a\(line)b")
    #expect(Printable.lines(text) == (scalar == "\n" ? "a\nb" : "a\(line)b"))
    let written = CanonicalJSON.string(text).serialised
    let shown = Printable.json(written.span)
    // RFC 8785 already writes those below U+0020 by their number, and some of them shorter.
    if scalar.value >= 0x20 {
      #expect(String(decoding: shown, as: UTF8.self) == "\"a\(json)b\"")
    } else {
      #expect(shown == written)
    }
    #expect(Printable.isLine(String(decoding: shown, as: UTF8.self)))
  }

  @Test(arguments: ["", "shop.service", "a b", "Zoë", "京", "مرحبا", "é\u{301}", "€ ½ 🙂", "\\x2d"])
  func whatShowsAsItself(_ text: String) {
    #expect(Printable.isLine(text) && Printable.line(text) == text && Printable.lines(text) == text)
    let written = CanonicalJSON.string(text).serialised
    #expect(Printable.json(written.span) == written)
  }

  @Test func aFieldCannotLookLikeTwo() {
    #expect(Printable.field("a key=b\\u{1b}\u{A0}") == #"a\u{20}key=b\u{5c}u{1b}\u{a0}"#)
  }
}
