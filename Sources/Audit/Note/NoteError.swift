package enum NoteError: Error, Equatable, Sendable {
  case name, key
  /// The text is no note of the form wanted.
  case format
  /// The note is signed by another name or key.
  case signer
  case signature
  case backend
}
