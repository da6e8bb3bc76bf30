package enum NoteError: Error, Equatable, Sendable {
  case name, key
  /// The text does not have the expected form.
  case format
  /// The note is signed by another name or key.
  case signer
  case signature
  case backend
}
