/// Bytes as words of the PGP word list, for reading aloud: omitting, doubling or swapping a word breaks the alternation of syllables.
package enum PGPWords {
  /// One word for each byte, separated by spaces: two syllables at even positions, three at odd ones.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map { words[2 * Int(bytes[$0]) + $0 % 2] }.joined(separator: " ")
  }

  /// Two words for byte 0, two for byte 1 and so on.
  private static let words = text.split(whereSeparator: \.isWhitespace)
}
