import Audit
import Crypto
import Format
import KeyStore
import KistClient

// Operators' requests; services do not need them, so the client library does not offer them.
extension Client {
  func status() throws(ClientError) -> StatusReport {
    try StatusReport(try call(.status))
  }

  /// - Returns: what the daemon has counted, and what it uses of what it has.
  func metrics() throws(ClientError) -> MetricsReply {
    try MetricsReply(try call(.metrics))
  }

  /// - Returns: the audit record's sequence.
  func unlock(passphrase: Span<UInt8>) throws(ClientError) -> UInt64? {
    try call(.unlock, UnlockRequest(passphrase: passphrase)).auditSequence
  }

  /// - Parameter words: of one share, with white space between them.
  /// - Returns: how far the custodians have come, and, if this opened the key store, the audit
  ///   record's sequence.
  func submitShare(_ share: Span<UInt8>) throws(ClientError) -> (
    progress: ShareProgressReply, auditSequence: UInt64?
  ) {
    let reply = try call(.submitShare, SubmitShareRequest(share: share))
    return (try ShareProgressReply(reply), reply.auditSequence)
  }

  func shareProgress() throws(ClientError) -> ShareProgressReply {
    try ShareProgressReply(try call(.shareProgress))
  }

  func recordDrill(_ request: RecordDrillRequest) throws(ClientError) -> (
    comparison: RecordDrillReply, auditSequence: UInt64?
  ) {
    let reply = try call(.recordDrill, request)
    return (try RecordDrillReply(reply), reply.auditSequence)
  }

  func backUp() throws(ClientError) -> (copy: BackUpReply, auditSequence: UInt64?) {
    let reply = try call(.backUp)
    return (try BackUpReply(reply), reply.auditSequence)
  }

  /// Makes a key, or changes one.
  func changeKey(
    _ opcode: Opcode, _ id: [UInt8]?, _ request: some Message & ~Escapable = NoFields()
  ) throws(ClientError) -> (key: Key, auditSequence: UInt64?) {
    let reply = try call(opcode, key: id, request)
    return (Key(try KeyDescription(reply)), reply.auditSequence)
  }

  func listRequests() throws(ClientError) -> [PendingRequest] {
    try ListRequestsReply(try call(.listRequests)).requests
  }

  /// - Returns: the audit record's sequence.
  func approve(_ id: String) throws(ClientError) -> UInt64? {
    try call(.approve, ApproveRequest(request: id)).auditSequence
  }

  /// - Returns: the audit record's sequence.
  func swapPolicy(_ hash: [UInt8]) throws(ClientError) -> UInt64? {
    try call(.swapPolicy, SwapPolicyRequest(policyHash: hash)).auditSequence
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
    return try call(.reviewLog, request).auditSequence
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
    return try changeKey(exchangeKey == nil ? .importKey : .importBlock, exchangeKey, request)
  }

  /// - Returns: the key block, and the audit record's sequence.
  func export(_ key: [UInt8], under exchangeKey: [UInt8]) throws(ClientError) -> (
    block: String, auditSequence: UInt64?
  ) {
    let reply = try call(.exportKey, key: key, ExportKeyRequest(exchangeKey: exchangeKey))
    return (try ExportKeyReply(reply).block, reply.auditSequence)
  }

  /// - Returns: PKCS #10 DER.
  func certificateRequest(for key: [UInt8], organization: String, country: String)
    throws(ClientError) -> [UInt8]
  {
    var request = CertificateRequestRequest()
    request.organization = organization
    request.country = country
    // A name of its own: Swift 6.3 destroys one that was never made, where the call throws.
    let reply = try call(.certificateRequest, key: key, request)
    return try CertificateRequestReply(reply).request.array
  }
}
