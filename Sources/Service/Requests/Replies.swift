import Audit
import Operations
import Policy

/// The replies to one read batch whose records are durable: what may be written to a connection.
///
/// Only `RequestBatch.commit` makes one, so nothing can leave before its audit record.
package struct Replies: ~Copyable {
  private let buffer: ReplyBuffer

  /// - Parameter hasRecords: whether the batch's records are durable since now; else it had none.
  init(
    _ buffer: consuming ReplyBuffer, _ watch: BatchWatch, at now: MonotonicTime, hasRecords: Bool
  ) {
    watch.count(buffer.entries, at: now, hasRecords: hasRecords)
    self.buffer = buffer
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.bytes }
  }
}

/// Replies that wait for their records: the batch's and, if refusals were counted, the counting
/// record after it.
final class HeldReplies: @unchecked Sendable {
  /// Owned by the threads that settle the records, one after the other.
  private var replies: ReplyBuffer?
  private let service: Service
  private let session: Session
  private let handles: HandleTable
  private let watch: BatchWatch
  private let deliver: @Sendable (consuming Replies) -> Void

  init(
    _ replies: consuming ReplyBuffer, _ service: Service, _ session: Session,
    _ handles: HandleTable, _ watch: BatchWatch,
    _ deliver: @escaping @Sendable (consuming Replies) -> Void
  ) {
    self.replies = consume replies
    self.service = service
    self.session = session
    self.handles = handles
    self.watch = watch
    self.deliver = deliver
  }

  /// Called when the batch is settled and there were no counted refusals.
  func finish(_ settlement: consuming AuditLog.Settlement) {
    guard stamp(settlement), let stamped = replies.take() else { return }
    send(stamped)
  }

  /// Called when the counting record, which comes last, is durable.
  func finish(counted receipt: borrowing Receipt) {
    guard var stamped = replies.take() else { return }
    stamped.stamp(counted: receipt)
    send(stamped)
  }

  /// Fills in the batch's sequences; if its records are not durable, answers every request with the
  /// failure and returns false.
  func stamp(_ settlement: consuming AuditLog.Settlement) -> Bool {
    do throws(AuditError) {
      let receipt = try settlement.get()
      guard var stamped = replies.take() else { return false }
      stamped.stamp(receipt)
      replies = consume stamped
      return true
    } catch {
      fail(error)
      return false
    }
  }

  func fail(_ error: AuditError) {
    // The store may have been locked meanwhile, and the handles that these requests made must not
    // outlive it.
    handles.wipe()
    service.stopServing(session, error)
    guard var refused = replies.take() else { return }
    refused.refuseAll(service.life.current.unservedStatus)
    send(refused)
  }

  private func send(_ replies: consuming ReplyBuffer) {
    deliver(Replies(replies, watch, at: service.settings.monotonicClock(), hasRecords: true))
  }
}
