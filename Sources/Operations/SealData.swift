internal import CryptoBackend
internal import KeyStore
package import Policy
package import Wire

/// `seal`: AES-256-GCM into an envelope, or under the caller's IV with a handle that is then used up [OP-SEAL-1].
package enum SealData: Operation {
  package static let opcode = Opcode.seal
  package static let bodyCap = PrimitiveCaps.message + PrimitiveCaps.associatedData + 64
  package static let replyCap = PrimitiveCaps.sealed + 16

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request: SealRequest
    do throws(WireError) { request = try SealRequest(body) } catch { throw .wire(error) }
    // The caller could use an IV twice, so a handle is used up by the first [OP-SEAL-4].
    let key = try WorkingKey(request.handle, grant, context, spending: !request.iv.isEmpty)
    let sealed: [UInt8] =
      switch key {
      case .stored(let slot): try seal(request, under: slot, key, context)
      case .held: try key.withBytes { (bytes) throws(OperationError) in try seal(request, bytes) }
      }
    do throws(WireError) { try reply.bytes(SealReply.sealedField, sealed.span) } catch { throw .fault }
  }

  private static func seal(
    _ request: borrowing SealRequest, under slot: KeySlot, _ key: WorkingKey, _ context: OperationContext
  ) throws(OperationError) -> [UInt8] {
    guard request.iv.isEmpty else { throw .rejected(.parameters) }
    let id = slot.record.id.bytes
    return try key.withBytes { (bytes) throws(OperationError) in try envelope(request, bytes, id) }
  }

  private static func seal(_ request: borrowing SealRequest, _ key: Span<UInt8>) throws(OperationError) -> [UInt8] {
    guard key.count == 32 else { throw .rejected(.parameters) }
    guard !request.iv.isEmpty else { return try envelope(request, key, KeyID.none.bytes) }
    do throws(CryptoError) {
      return try AESGCM.seal(key: key, iv: request.iv, plaintext: request.plaintext, aad: request.associatedData)
    } catch { throw OperationError(error) }
  }

  private static func envelope(_ request: borrowing SealRequest, _ key: Span<UInt8>, _ id: [UInt8]) throws(OperationError) -> [UInt8] {
    do throws(CryptoError) {
      return try Envelope.seal(request.plaintext, key: key, id: id.span, associatedData: request.associatedData)
    } catch { throw OperationError(error) }
  }
}
