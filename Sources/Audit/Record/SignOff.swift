internal import Crypto
package import Format

/// A reviewer's statement that the log was read up to a checkpoint.
package struct SignOff: Hashable, Sendable {
  /// The checkpoint's head: all records before its size were reviewed.
  package let head: TreeHead
  package let outcome: ReviewOutcome
  package let note: ReviewNote

  package init(_ head: TreeHead, _ outcome: ReviewOutcome, _ note: ReviewNote) { (self.head, self.outcome, self.note) = (head, outcome, note) }
}

/// A reviewer's note: the only free text in a record, therefore bounded and printable.
package struct ReviewNote: Hashable, Sendable {
  package let text: String

  /// - Parameter text: 1 to 500 bytes of printable characters and plain spaces, with no space first or last.
  package init?(_ text: String) {
    guard (1...ReviewLogRequest.noteLimit).contains(text.utf8.count), text.first != " ", text.last != " " else { return nil }
    // Other white space could make a note look empty.
    guard Printable.isLine(text), text.unicodeScalars.allSatisfy({ $0 == " " || !$0.properties.isWhitespace }) else { return nil }
    self.text = text
  }
}

extension SignOff {
  /// The members of `in.review`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("note", note.text)
    writer.member("outcome", outcome.rawValue)
    writer.member("root", hex: head.root.span)
    writer.member("size", Int64(clamping: head.size))
  }
}
