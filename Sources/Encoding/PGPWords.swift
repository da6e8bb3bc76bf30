/// Bytes as words of the PGP word list, to be read aloud: a word left out, doubled or swapped breaks the turn of two and three syllables.
package enum PGPWords {
  /// One word for each byte, at even positions of two syllables and at odd ones of three, with spaces between.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map { words[2 * Int(bytes[$0]) + $0 % 2] }.joined(separator: " ")
  }

  /// The two words of byte 0, of byte 1 and so on.
  private static let words = text.split(whereSeparator: \.isWhitespace)
}
