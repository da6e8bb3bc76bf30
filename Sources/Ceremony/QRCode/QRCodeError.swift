/// Why a text does not become a symbol; reveals nothing of the text.
package enum QRCodeError: Error, Hashable, Sendable {
  /// A character other than the letters A to Z, of either case, and spaces.
  case letter
  /// More characters than the symbol holds.
  case tooLong
  /// The arena is full.
  case exhausted
}
