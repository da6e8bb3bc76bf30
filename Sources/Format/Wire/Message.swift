// Wire: frames and messages, as bytes on a socket and back.
// It declares each field once, with its number and bounds, and refuses what it does not know.
// It must not know who sends a message, what a request does, or that there is a socket.

/// The body of a request or a reply, or a part of one: a message of `proto/kist.proto`.
///
/// A message names its fields once, in `visit`.  The reader, the writer and the tests' tables are visitors.
package protocol Message: ~Escapable {
  /// Every field absent.
  @_lifetime(immortal)
  init()

  /// Shows every field to `visitor`, in the order of their numbers.
  @_lifetime(self: copy self, copy visitor)
  mutating func visit(_ visitor: inout some Visitor) throws(WireError)

  /// What binds the fields to one another, beyond the bounds of each.
  ///
  /// - Throws: `WireError.badValue` with the number of the field at fault.
  func check() throws(WireError)

  // Requirements, so that the compiler makes them for each message instead of once for all.
  @_lifetime(self: copy self, copy reader)
  mutating func read(_ reader: inout MessageReader) throws(WireError)
  consuming func write(into writer: inout MessageWriter) throws(WireError)
}

extension Message where Self: ~Escapable {
  /// Decodes a whole message: known fields within their bounds, and nothing left over.
  @inlinable
  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    self.init()
    var reader = body
    try read(&reader)
    try reader.end()
  }

  /// - Throws: `WireError.tooLong` or `.badValue` for what a reader would refuse, `.tooLong` where there is no room.
  @inlinable
  package consuming func encode(into writer: inout MessageWriter) throws(WireError) { try write(into: &writer) }

  package func check() throws(WireError) {}

  @_lifetime(self: copy self, copy reader)
  package mutating func read(_ reader: inout MessageReader) throws(WireError) {
    try visit(&reader)
    try check()
  }

  package consuming func write(into writer: inout MessageWriter) throws(WireError) {
    try check()
    try visit(&writer)
  }
}
