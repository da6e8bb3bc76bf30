package import Crypto
internal import Format

/// A checkpoint of a transcript as people write it on paper: the first half of the root over every record so far.
package struct PaperMark: Hashable, Sendable {
  /// 32 hexadecimal digits.
  package let digits: String
  /// 16 words of the PGP list, in two lines.
  package let words: [String]

  package init(_ root: Digest256) {
    digits = String(root.hex.prefix(32))
    words = [0..<8, 8..<16].map { PGPWords.encode(root.span.extracting($0)) }
  }

  /// Whether somebody typed it, in words or digits.
  package func isTyped(_ text: String) -> Bool {
    let typed = text.lowercased()
    return typed.filter { !$0.isWhitespace } == digits
      || typed.split(whereSeparator: \.isWhitespace) == words.joined(separator: " ").lowercased().split(separator: " ")
  }
}
