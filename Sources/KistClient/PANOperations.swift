internal import Encoding
internal import Wire

/// The transaction to which the envelope of a PAN is bound, and how long it can be opened.
public struct EnvelopeTerms: Hashable, Sendable {
  /// 32 bytes.
  public let transactionID: [UInt8]
  /// Seconds, up to 366 days.
  public let lifetime: UInt32

  public init(transactionID: [UInt8], lifetime: UInt32) { (self.transactionID, self.lifetime) = (transactionID, lifetime) }
}

extension Client {
  /// The surrogate of a PAN: as many digits, the same last four, never a PAN itself.
  ///
  /// - Parameters:
  ///   - pan: ASCII digits.
  ///   - key: 16 bytes, of a key of role `surrogate`.
  public func surrogate(ofPAN pan: Span<UInt8>, merchant: String, withKey key: [UInt8]) throws(ClientError) -> String {
    var request = TokeniseRequest()
    (request.pan, request.merchantIdentifier) = (pan, merchant)
    let reply = try tokenise(request, key)
    do throws(WireError) {
      let made = try TokeniseReply(MessageReader(reply.body))
      guard !made.surrogate.isEmpty else { throw .badValue(1) }
      return String(decoding: made.surrogate.array, as: UTF8.self)
    } catch { throw .malformedReply }
  }

  /// An envelope with a PAN, for a service that may `detokenise` it.
  ///
  /// - Parameter key: 16 bytes, of a key of role `sealing`.
  public func envelope(
    ofPAN pan: Span<UInt8>, merchant: String, terms: EnvelopeTerms, withKey key: [UInt8]
  ) throws(ClientError) -> [UInt8] {
    var request = TokeniseRequest()
    (request.pan, request.merchantIdentifier) = (pan, merchant)
    (request.transactionID, request.lifetime) = (terms.transactionID.span, terms.lifetime)
    let reply = try tokenise(request, key)
    do throws(WireError) {
      let made = try TokeniseReply(MessageReader(reply.body))
      guard !made.panEnvelope.isEmpty else { throw .badValue(2) }
      return made.panEnvelope.array
    } catch { throw .malformedReply }
  }

  /// The PAN that a surrogate stands in for.
  public func pan(ofSurrogate surrogate: String, merchant: String, withKey key: [UInt8]) throws(ClientError) -> RevealedPAN {
    let digits = surrogate.utf8
    var request = DetokeniseRequest()
    (request.surrogate, request.merchantIdentifier) = (digits.span, merchant)
    return try detokenise(request, key)
  }

  /// The PAN in an envelope.
  ///
  /// - Parameter transactionID: the 32 bytes for which it was sealed.
  public func pan(
    ofEnvelope envelope: [UInt8], merchant: String, transactionID: [UInt8], withKey key: [UInt8]
  ) throws(ClientError) -> RevealedPAN {
    var request = DetokeniseRequest()
    (request.panEnvelope, request.merchantIdentifier, request.transactionID) = (envelope.span, merchant, transactionID.span)
    return try detokenise(request, key)
  }

  private func tokenise(_ request: TokeniseRequest, _ key: [UInt8]) throws(ClientError) -> Reply {
    let id = try keyID(key)
    return try call(.tokenise, key: id) { (writer) throws(WireError) in try request.encode(into: &writer) }
  }

  private func detokenise(_ request: DetokeniseRequest, _ key: [UInt8]) throws(ClientError) -> RevealedPAN {
    let id = try keyID(key)
    return try RevealedPAN(try call(.detokenise, key: id) { (writer) throws(WireError) in try request.encode(into: &writer) })
  }
}

/// A PAN that left the daemon, in locked memory for the life of this value.
public struct RevealedPAN: ~Copyable {
  private let reply: Reply
  /// The audit record of its release.
  public var auditSequence: UInt64? { reply.auditSequence }

  init(_ reply: consuming Reply) throws(ClientError) {
    do throws(WireError) { _ = try DetokeniseReply(MessageReader(reply.body)) } catch { throw .malformedReply }
    self.reply = reply
  }

  /// Reads its ASCII digits in place.
  public borrowing func withDigits<R>(_ body: (Span<UInt8>) -> R) -> R {
    do throws(WireError) { return body(try DetokeniseReply(MessageReader(reply.body)).pan) } catch { return body(reply.body.extracting(first: 0)) }
  }
}
