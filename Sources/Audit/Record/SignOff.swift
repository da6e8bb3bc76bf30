internal import CryptoBackend
internal import Encoding
package import Wire

/// A reviewer's word that the log was read up to a checkpoint.
package struct SignOff: Hashable, Sendable {
  /// The checkpoint's: all records before its size were reviewed.
  package let head: TreeHead
  package let outcome: ReviewOutcome
  package let note: ReviewNote

  package init(_ head: TreeHead, _ outcome: ReviewOutcome, _ note: ReviewNote) { (self.head, self.outcome, self.note) = (head, outcome, note) }
}

/// What a reviewer has to say: the one free text that a record can hold, so it is bounded and shows as what it is.
package struct ReviewNote: Hashable, Sendable {
  package let text: String

  /// - Parameter text: 1 to 500 bytes of printable characters and spaces, no space first or last.
  package init?(_ text: String) {
    guard (1...ReviewLogRequest.noteLimit).contains(text.utf8.count), text.first != " ", text.last != " " else { return nil }
    // A note that is all but empty to the eye says nothing: no space but the plain one.
    guard Printable.isLine(text), text.unicodeScalars.allSatisfy({ $0 == " " || !$0.properties.isWhitespace }) else { return nil }
    self.text = text
  }
}

extension SignOff {
  /// The members of `in.review`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.name("note")
    writer.string(note.text)
    writer.name("outcome")
    writer.string(outcome.rawValue)
    writer.name("root")
    writer.hex(head.root.span)
    writer.name("size")
    writer.integer(Int64(clamping: head.size))
  }
}
