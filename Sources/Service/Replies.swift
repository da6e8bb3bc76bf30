internal import SecretMemory

/// What may be written to a connection: the replies to one read batch whose records are durable.
///
/// Only `Exchange.commit` makes one, so nothing can leave before its audit record.
package struct Replies: ~Copyable {
  private let buffer: ReplyBuffer
  /// Whether the connection is to be closed once they are written: the caller broke the protocol.
  package let closes: Bool

  init(_ buffer: consuming ReplyBuffer, closes: Bool) {
    self.buffer = buffer
    self.closes = closes
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.bytes }
  }
}
