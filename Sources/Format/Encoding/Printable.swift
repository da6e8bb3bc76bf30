/// Makes text from others safe to show: it cannot control a terminal, hide, change the writing
/// direction or end a line.
///
/// A character that could do so is replaced by its number, such as `\u{1b}`.
package enum Printable {
  /// Whether `text` is a single line that is safe to show unchanged.
  package static func isLine(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPrintable) }

  /// `text` on one line.
  package static func line(_ text: String) -> String { escaping(text) { !isPrintable($0) } }

  /// `text` whose line breaks the program itself put in; texts from others within it must have been
  /// through `line`.
  package static func lines(_ text: String) -> String {
    escaping(text) { !isPrintable($0) && $0 != "\n" }
  }

  /// `text` for a place between spaces: also escapes spaces and backslashes, so that it cannot look
  /// like another field.
  package static func field(_ text: String) -> String {
    escaping(text) {
      !isPrintable($0) || $0 == "\\" || $0.properties.generalCategory == .spaceSeparator
    }
  }

  /// Whether a character shows as itself: not a control or format character (such as bidirectional
  /// ones), nor a line or paragraph separator.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      return false
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark,
      .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
      .dashPunctuation, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
      .currencySymbol,
      .modifierSymbol, .otherSymbol, .spaceSeparator:
      return true
    @unknown default: return false
    }
  }

  /// The number of a character as `line` writes it.
  package static func number(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16) + "}"
  }

  private static func escaping(_ text: String, _ isUnfit: (Unicode.Scalar) -> Bool) -> String {
    guard text.unicodeScalars.contains(where: isUnfit) else { return text }
    return text.unicodeScalars.map { isUnfit($0) ? number($0) : String($0) }.joined()
  }
}
