internal import Host
internal import Policy

/// The replies to one read batch whose records are durable: what may be written to a connection.
///
/// Only `Exchange.commit` makes one, so nothing can leave before its audit record.
package struct Replies: ~Copyable {
  private let buffer: ReplyBuffer

  /// - Parameter hasRecords: whether the batch's records are durable since now; else it had none.
  init(_ buffer: consuming ReplyBuffer, _ watch: BatchWatch, at now: MonotonicTime, hasRecords: Bool) {
    watch.count(buffer.entries, at: now, hasRecords: hasRecords)
    self.buffer = buffer
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.bytes }
  }
}
