/// Why a text is not put into a symbol; says nothing of the text.
package enum QRCodeError: Error, Hashable, Sendable {
  /// Something else than the letters A to Z, of either case, and blanks.
  case letter
  /// More characters than the symbol holds.
  case tooLong
  /// The arena is full.
  case exhausted
}
