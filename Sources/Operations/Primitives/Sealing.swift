import Crypto
import Format
import Host
import KeyStore

/// `seal`: AES-256-GCM into an envelope, with a nonce that the daemon draws [OP-SEAL-1].
enum Seal: Operation {
  static let opcode = Opcode.seal

  static func replyCap(forBodyOf bodyCount: Int) -> Int {
    min(replyCap, bodyCount + Envelope.overhead + 16)
  }

  static func run(
    _ request: borrowing SealRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let key = try WorkingKey(request.handle, context)
    let id =
      switch key {
      case .stored(let slot): slot.record.id
      case .held: KeyID.none
      }
    let sealed = try key.withBytes { (bytes) throws(OperationError) in
      try seal(request, bytes, id.bytes)
    }
    var answer = SealReply()
    answer.sealed = sealed.span
    try reply.write(answer)
  }

  private static func seal(_ request: borrowing SealRequest, _ key: Span<UInt8>, _ id: [UInt8])
    throws(OperationError) -> [UInt8]
  {
    guard key.count == 32 else { throw .rejected(.parameters) }
    return try onCrypto(
      Envelope.seal(
        request.plaintext, key: key, id: id.span, associatedData: request.associatedData))
  }
}

/// `unseal`: opens an envelope, or data that others sealed under their own IV [OP-UNSEAL-1].
enum Unseal: Operation {
  static let opcode = Opcode.unseal

  static func replyCap(forBodyOf bodyCount: Int) -> Int { min(replyCap, bodyCount + 16) }

  static func run(
    _ request: borrowing UnsealRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let key = try WorkingKey(request.handle, context)
    let id: KeyID
    switch key {
    case .stored(let slot):
      // A key opens either envelopes or others' ciphertexts, depending on its role [OP-UNSEAL-3].
      guard (slot.record.role == .unsealing) == !request.iv.isEmpty else {
        throw .rejected(.parameters)
      }
      id = slot.record.id
    case .held: id = .none
    }
    let plaintext = try key.withBytes { (bytes) throws(OperationError) in
      request.iv.isEmpty
        ? try open(envelope: request, bytes, id) : try open(foreign: request, bytes)
    }
    var answer = UnsealReply()
    answer.plaintext = plaintext.bytes
    try reply.write(answer)
  }

  private static func open(
    envelope request: borrowing UnsealRequest, _ key: Span<UInt8>, _ id: KeyID
  ) throws(OperationError) -> SecretBuffer {
    do throws(CryptoError) {
      let envelope = try Envelope(request.sealed)
      if KeyID(prefixOf: envelope.keyID) == id, key.count == 32 {
        return try envelope.open(key: key, associatedData: request.associatedData)
      }
    } catch { throw refusal(error, .envelope) }
    throw .rejected(.envelope)
  }

  private static func open(foreign request: borrowing UnsealRequest, _ key: Span<UInt8>)
    throws(OperationError) -> SecretBuffer
  {
    let sealed = request.sealed
    guard key.count == 32, sealed.count >= AESGCM.tagSize else { throw .rejected(.parameters) }
    do throws(CryptoError) {
      return try AESGCM.open(
        key: key, iv: request.iv, ciphertext: sealed.extracting(droppingLast: AESGCM.tagSize),
        tag: sealed.extracting(last: AESGCM.tagSize), aad: request.associatedData)
    } catch { throw refusal(error, .parameters) }
  }

  private static func refusal(_ error: CryptoError, _ shape: Stage) -> OperationError {
    switch error {
    case .authenticationFailed: .rejected(.tag)
    case .invalidInput: .rejected(shape)
    case .exhausted, .invalidKey, .invalidPoint, .invalidCertificate, .backend:
      OperationError(error)
    }
  }
}
