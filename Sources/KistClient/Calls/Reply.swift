package import Format
import Host

/// A successful reply; its body is in locked memory and is wiped with it.
package struct Reply: ~Copyable {
  private let frame: SecretBuffer
  /// The audit record of the request; nil if there is none.
  package let auditSequence: UInt64?
  /// The request's.
  package let requestID: UInt64

  /// - Parameter isFirst: whether it is the first reply of its connection.
  init(_ frame: consuming SecretBuffer, to opcode: UInt16, _ requestID: UInt64, isFirst: Bool)
    throws(ClientError)
  {
    let header: ReplyHeader
    do throws(WireError) { header = try ReplyHeader(frame.bytes) } catch {
      throw .malformedReply(request: requestID)
    }
    let isAnswer = header.opcode == opcode && header.requestID == requestID
    guard
      isAnswer
        || Self.isAboutConnection(
          header, bodyCount: frame.count - ReplyHeader.byteCount, isFirst: isFirst)
    else {
      throw .malformedReply(request: requestID)
    }
    let sequence = header.auditSequence == ReplyHeader.unaudited ? nil : header.auditSequence
    guard header.status == .ok else {
      let body = frame.bytes.extracting(droppingFirst: ReplyHeader.byteCount)
      let rejection = header.status == .rejected ? Self.rejection(body) : nil
      throw .refused(
        ClientError.Refusal(
          status: header.status.name, flaw: header.status == .malformed ? Self.flaw(body) : nil,
          stage: rejection?.stage.name,
          field: rejection?.field?.name ?? rejection?.releasedField?.name,
          approval: header.status == .approvalNeeded ? try Self.approval(body, requestID) : nil,
          retryAfter: header.status == .busy ? try Self.wait(body, requestID) : nil,
          auditSequence: sequence, requestID: requestID))
    }
    self.frame = frame
    auditSequence = sequence
    self.requestID = requestID
  }

  /// What to throw if the body is not the operation's.
  package var malformed: ClientError { .malformedReply(request: requestID) }

  /// The body; it lives as long as the reply.
  package var body: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { frame.bytes.extracting(droppingFirst: ReplyHeader.byteCount) }
  }

  /// Where in the body `part` is, a slice of it.
  func place(of part: Span<UInt8>) -> Range<Int> { body.indices(of: part) ?? 0..<0 }

  /// Only `malformed` [WIRE-8] and, as a connection's first reply, `busy` [WIRE-21] may answer no
  /// request in particular.
  private static func isAboutConnection(_ header: ReplyHeader, bodyCount: Int, isFirst: Bool)
    -> Bool
  {
    guard header.opcode == 0, header.requestID == 0, bodyCount == 0 else { return false }
    return header.status == .malformed || header.status == .busy && isFirst
  }

  /// [WIRE-24] Nil if the daemon does not say; a reply about the connection never does.
  private static func wait(_ body: Span<UInt8>, _ requestID: UInt64) throws(ClientError)
    -> Duration?
  {
    guard !body.isEmpty else { return nil }
    do throws(WireError) { return .milliseconds(try Busy(MessageReader(body)).retryAfter) } catch {
      throw .malformedReply(request: requestID)
    }
  }

  private static func approval(_ body: Span<UInt8>, _ requestID: UInt64) throws(ClientError)
    -> ClientError.PendingApproval
  {
    do throws(WireError) {
      let needed = try ApprovalNeeded(MessageReader(body))
      return ClientError.PendingApproval(
        request: needed.request, until: Int64(clamping: needed.until))
    } catch { throw .malformedReply(request: requestID) }
  }

  private static func flaw(_ body: Span<UInt8>) -> String? {
    do throws(WireError) {
      return body.isEmpty ? nil : try Malformation(MessageReader(body)).why
    } catch { return nil }
  }

  /// A stage of a later daemon, unknown here, is a rejection like any other (section 8); an unknown
  /// field takes nothing from its stage.
  private static func rejection(_ body: Span<UInt8>) -> Rejection? {
    guard !body.isEmpty else { return nil }
    var rejection = Rejection()
    var reader = MessageReader(body)
    do throws(WireError) {
      try rejection.read(&reader)
      try reader.end()
      return rejection
    } catch .badValue(let field) where field.number > 1 {
      return Rejection(stage: rejection.stage)
    } catch { return nil }
  }
}

extension Message where Self: ~Escapable {
  /// Decodes the whole body of a reply.
  @_lifetime(borrow reply)
  package init(_ reply: borrowing Reply) throws(ClientError) {
    do throws(WireError) { try self.init(MessageReader(reply.body)) } catch {
      throw reply.malformed
    }
  }
}
