import Audit
import Crypto
import Format
import KeyStore
import KistClient

// Operators' requests; services do not need them, so the client library does not offer them.
extension Client {
  func status() throws(ClientError) -> StatusReport {
    let reply = try call(.status)
    do throws(WireError) { return try StatusReport(MessageReader(reply.body)) } catch {
      throw reply.malformed
    }
  }

  /// - Returns: what the daemon has counted, and what it uses of what it has.
  func metrics() throws(ClientError) -> MetricsReply {
    let reply = try call(.metrics)
    do throws(WireError) { return try MetricsReply(MessageReader(reply.body)) } catch {
      throw reply.malformed
    }
  }

  /// - Returns: the audit record's sequence.
  func unlock(passphrase: Span<UInt8>) throws(ClientError) -> UInt64? {
    let request = UnlockRequest(passphrase: passphrase)
    return try call(.unlock, bodyCap: 1100) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }.auditSequence
  }

  /// - Parameter words: of one share, with white space between them.
  /// - Returns: how far the custodians have come, and, if this opened the key store, the audit
  ///   record's sequence.
  func submitShare(_ share: Span<UInt8>) throws(ClientError) -> (
    progress: ShareProgressReply, auditSequence: UInt64?
  ) {
    let request = SubmitShareRequest(share: share)
    let reply = try call(.submitShare, bodyCap: 64) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }
    do throws(WireError) {
      return (try ShareProgressReply(MessageReader(reply.body)), reply.auditSequence)
    } catch { throw reply.malformed }
  }

  func shareProgress() throws(ClientError) -> ShareProgressReply {
    let reply = try call(.shareProgress)
    do throws(WireError) { return try ShareProgressReply(MessageReader(reply.body)) } catch {
      throw reply.malformed
    }
  }

  func recordDrill(_ request: RecordDrillRequest) throws(ClientError) -> (
    comparison: RecordDrillReply, auditSequence: UInt64?
  ) {
    let reply = try call(.recordDrill, bodyCap: 60 << 10) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }
    do throws(WireError) {
      return (try RecordDrillReply(MessageReader(reply.body)), reply.auditSequence)
    } catch { throw reply.malformed }
  }

  func backUp() throws(ClientError) -> (copy: BackUpReply, auditSequence: UInt64?) {
    let reply = try call(.backUp)
    do throws(WireError) {
      return (try BackUpReply(MessageReader(reply.body)), reply.auditSequence)
    } catch { throw reply.malformed }
  }

  /// Makes a key, or changes one.
  func changeKey(
    _ opcode: Opcode, _ id: [UInt8]?, bodyCap: Int = 1024,
    _ encode: (inout MessageWriter) throws(WireError) -> Void = { (_) throws(WireError) in }
  ) throws(ClientError) -> (key: Key, auditSequence: UInt64?) {
    let reply = try call(
      opcode, key: id.flatMap { KeyID(prefixOf: $0.span) } ?? .none, bodyCap: bodyCap, encode)
    do throws(WireError) {
      return (Key(try KeyDescription(MessageReader(reply.body))), reply.auditSequence)
    } catch { throw reply.malformed }
  }

  func listRequests() throws(ClientError) -> [PendingRequest] {
    let reply = try call(.listRequests)
    do throws(WireError) { return try ListRequestsReply(MessageReader(reply.body)).requests } catch
    { throw reply.malformed }
  }

  /// - Returns: the audit record's sequence.
  func approve(_ id: String) throws(ClientError) -> UInt64? {
    try call(.approve) { (writer) throws(WireError) in
      try ApproveRequest(request: id).encode(into: &writer)
    }.auditSequence
  }

  /// - Returns: the audit record's sequence.
  func swapPolicy(_ hash: [UInt8]) throws(ClientError) -> UInt64? {
    try call(.swapPolicy) { (writer) throws(WireError) in
      try SwapPolicyRequest(policyHash: hash).encode(into: &writer)
    }.auditSequence
  }

  /// - Returns: the audit record's sequence.
  func lock() throws(ClientError) -> UInt64? { try call(.lock).auditSequence }

  /// - Returns: the audit record's sequence.
  func reviewLog(_ signOff: SignOff) throws(ClientError) -> UInt64? {
    var request = ReviewLogRequest()
    request.size = signOff.head.size
    request.root = signOff.head.root.bytes
    request.outcome = signOff.outcome
    request.note = signOff.note.text
    return try call(.reviewLog, bodyCap: 640) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }.auditSequence
  }

  /// - Parameters:
  ///   - privateKey: RFC 5915, PKCS #1 or RFC 8410 DER, or the bytes of a symmetric key; with an
  ///     exchange key, a block's characters.
  ///   - certificate: DER, or empty.
  ///   - exchangeKey: the id of the key under which the block was made.
  func importKey(
    _ wish: ImportWish, privateKey: Span<UInt8>, certificate: Span<UInt8>, activate: Bool,
    under exchangeKey: [UInt8]? = nil
  ) throws(ClientError) -> (key: Key, auditSequence: UInt64?) {
    var request = ImportKeyRequest()
    request.label = wish.label.text
    request.role = wish.role.rawValue
    request.privateKey = privateKey
    request.certificate = certificate
    request.merchantIdentifier = wish.merchant?.text ?? ""
    request.activate = activate
    request.notAfter = UInt64(clamping: wish.notAfter)
    request.otp = wish.otp
    request.exportable = wish.isExportable
    request.jweMembers = wish.jweMembers.text
    let kek = exchangeKey.flatMap { KeyID(prefixOf: $0.span) }
    let reply = try call(
      kek == nil ? .importKey : .importBlock, key: kek ?? .none, bodyCap: 18 << 10
    ) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }
    do throws(WireError) {
      return (Key(try KeyDescription(MessageReader(reply.body))), reply.auditSequence)
    } catch { throw reply.malformed }
  }

  /// - Returns: the key block, and the audit record's sequence.
  func export(_ key: [UInt8], under exchangeKey: [UInt8]) throws(ClientError) -> (
    block: String, auditSequence: UInt64?
  ) {
    guard let id = KeyID(prefixOf: key.span), let kek = KeyID(prefixOf: exchangeKey.span) else {
      throw .request("a key id has \(KeyID.byteCount) bytes")
    }
    let request = ExportKeyRequest(exchangeKey: kek)
    let reply = try call(.exportKey, key: id, bodyCap: 24) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }
    do throws(WireError) {
      return (try ExportKeyReply(MessageReader(reply.body)).block, reply.auditSequence)
    } catch { throw reply.malformed }
  }

  /// - Returns: PKCS #10 DER.
  func certificateRequest(for key: [UInt8], organization: String, country: String)
    throws(ClientError) -> [UInt8]
  {
    var request = CertificateRequestRequest()
    request.organization = organization
    request.country = country
    guard let id = KeyID(prefixOf: key.span) else {
      throw .request("a key id has \(KeyID.byteCount) bytes")
    }
    let reply = try call(.certificateRequest, key: id, bodyCap: 72) { (writer) throws(WireError) in
      try request.encode(into: &writer)
    }
    do throws(WireError) {
      let request = try CertificateRequestReply(MessageReader(reply.body)).request
      return request.indices.map { request[$0] }
    } catch { throw reply.malformed }
  }
}
