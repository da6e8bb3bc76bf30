import Format

/// The transaction to which the envelope of a PAN is bound, and how long it can be opened.
public struct EnvelopeTerms: Hashable, Sendable {
  /// 32 bytes.
  public let transactionID: [UInt8]
  /// Seconds, up to 366 days.
  public let lifetime: UInt32

  public init(transactionID: [UInt8], lifetime: UInt32) {
    self.transactionID = transactionID
    self.lifetime = lifetime
  }
}

extension Client {
  /// The surrogate of a PAN: as many digits, the same last four, never a PAN itself, unless the
  /// merchant's are of another format.
  ///
  /// - Parameters:
  ///   - pan: ASCII digits.
  ///   - key: 16 bytes, of a key of role `surrogate`.
  public func surrogate(ofPAN pan: Span<UInt8>, merchant: String, withKey key: [UInt8])
    throws(ClientError) -> String
  {
    var request = TokeniseRequest()
    request.pan = pan
    request.merchantIdentifier = merchant
    let reply = try call(.tokenise, key: key, request)
    let made = try TokeniseReply(reply)
    guard !made.surrogate.isEmpty else { throw reply.malformed }
    return String(decoding: made.surrogate.array, as: UTF8.self)
  }

  /// An envelope with a PAN, for a service that may open it; it opens once if the merchant's
  /// envelopes do.
  ///
  /// - Parameter key: 16 bytes, of a key of role `sealing`.
  public func envelope(
    ofPAN pan: Span<UInt8>, merchant: String, terms: EnvelopeTerms, withKey key: [UInt8]
  ) throws(ClientError) -> [UInt8] {
    var request = TokeniseRequest()
    request.pan = pan
    request.merchantIdentifier = merchant
    request.transactionID = terms.transactionID.span
    request.lifetime = terms.lifetime
    let reply = try call(.tokenise, key: key, request)
    let made = try TokeniseReply(reply)
    guard !made.envelope.isEmpty else { throw reply.malformed }
    return made.envelope.array
  }

  /// The PAN that a surrogate stands in for.
  public func pan(ofSurrogate surrogate: String, merchant: String, withKey key: [UInt8])
    throws(ClientError) -> RevealedPAN
  {
    var request = DetokeniseRequest()
    request.surrogate = surrogate.utf8.span
    request.merchantIdentifier = merchant
    return try RevealedPAN(try call(.detokenise, key: key, request))
  }

  /// What is sealed in an envelope, as far as policy releases it to this caller.
  ///
  /// - Parameters:
  ///   - transactionID: the 32 bytes for which it was sealed.
  ///   - fields: the wanted fields among those that policy allows; empty asks for all of these.
  ///   - required: without any of these it is not opened, and can be opened later; the refusal
  ///     names the field.
  ///   - key: 16 bytes, of the key of role `sealing` that sealed it.
  ///   - retryKey: as in `openPaymentToken`, also for an envelope that opens once.
  ///   - sendsAgain: likewise.
  public func openEnvelope(
    _ envelope: [UInt8], merchant: String, transactionID: [UInt8], fields: [PaymentField] = [],
    required: [PaymentField] = [],
    withKey key: [UInt8], retryKey: RetryKey? = nil, sendsAgain: Bool = true
  ) throws(ClientError) -> OpenedToken {
    let again = retryKey?.bytes ?? []
    var request = OpenEnvelopeRequest()
    request.envelope = envelope.span
    request.merchantIdentifier = merchant
    request.transactionID = transactionID.span
    request.release = ReleasedFields(fields.map(\.wire))
    request.required = ReleasedFields(required.map(\.wire))
    request.retryKey = again.span
    return try asking(again: retryKey != nil && sendsAgain) { () throws(ClientError) in
      try OpenedToken(try call(.openEnvelope, key: key, request))
    }
  }
}

/// A PAN that left the daemon, in locked memory for the life of this value.
public struct RevealedPAN: ~Copyable {
  private let reply: Reply
  /// The audit record of its release.
  public var auditSequence: UInt64? { reply.auditSequence }

  init(_ reply: consuming Reply) throws(ClientError) {
    _ = try DetokeniseReply(reply)
    self.reply = reply
  }

  /// Reads its ASCII digits in place.
  public borrowing func withDigits<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let read = try? DetokeniseReply(reply) else { return body(Span()) }
    return body(read.pan)
  }
}
