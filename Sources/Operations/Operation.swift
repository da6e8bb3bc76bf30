package import Format
package import KeyStore

/// One operation of Kist, with the limits that make it safe to call.
///
/// An operation is one file and one row of `operationTable`. Its request is decoded once, strictly,
/// before anything asks for what is in it; it reaches a key only through its grant; and its reply
/// leaves only with an audit receipt.
package protocol Operation: SendableMetatype {
  associatedtype Request: Message, ~Escapable

  static var opcode: Opcode { get }
  /// The most bytes that a reply's body can have, for a request with a body of `bodyCount` bytes.
  static func replyCap(forBodyOf bodyCount: Int) -> Int

  /// Why the request would be refused even if approved, so that no approval is asked for; nil if
  /// nothing is known against it.
  static func refusal(_ context: borrowing OperationContext) -> Stage?

  /// What those who approve such a request must know of it besides its operation and key.
  /// [OP-APPROVE-5]
  static func matter(_ request: borrowing Request, _ keys: KeyStore) -> PendingRequests.Matter?
  /// Whether it imports a key under which other keys or released fields leave: half of an export.
  /// [OP-APPROVE-6]
  static func opensWayOut(_ request: borrowing Request) -> Bool

  /// For how long such a request can be sent again after a lost reply, in seconds; 0 if it has no
  /// retry key [OP-OPEN-11].
  ///
  /// - Parameter windows: those of merchants.
  static func retryWindow(
    of request: borrowing Request, _ key: KeyID, _ keys: KeyStore, _ windows: MerchantWindows
  ) -> UInt32

  /// What such a request opens only once, if anything: the hosts of a fleet claim it before one of
  /// them carries it out [FLEET-CLAIM-5].
  static var opens: OpenedOnce? { get }
  /// What is claimed for such a request, found good so far; nil for nothing, or if it will be
  /// refused.
  static func opening(_ request: borrowing Request, _ search: borrowing OpeningSearch)
    throws(OperationError) -> FoundOpening.Opening?

  /// Writes the reply's body, and notes in the context's finding what the record adds.
  static func run(
    _ request: borrowing Request, _ context: borrowing OperationContext,
    into reply: inout MessageWriter) throws(OperationError)
}

extension Operation {
  package static func replyCap(forBodyOf bodyCount: Int) -> Int { replyCap }
  /// What the reply's fields allow.
  static var replyCap: Int {
    guard let largest = opcode.largestReply else { preconditionFailure("\(opcode) has no bounds") }
    return largest
  }
  package static func refusal(_ context: borrowing OperationContext) -> Stage? { nil }
  package static func matter(_ request: borrowing Request, _ keys: KeyStore) -> PendingRequests
    .Matter?
  { nil }
  package static func opensWayOut(_ request: borrowing Request) -> Bool { false }

  package static func retryWindow(
    of request: borrowing Request, _ key: KeyID, _ keys: KeyStore, _ windows: MerchantWindows
  ) -> UInt32 { 0 }

  package static var opens: OpenedOnce? { nil }
  package static func opening(
    _ request: borrowing Request, _ search: borrowing OpeningSearch
  ) throws(OperationError) -> FoundOpening.Opening? { nil }
}

/// Of what the hosts of a fleet, and a host's starts, remember that it was opened.
package enum OpenedOnce: Sendable { case token, envelope }

// Whose fault it is that a message cannot be read or written.

extension Message where Self: ~Escapable {
  /// Decodes a request's whole body.
  ///
  /// - Throws: `OperationError.wire`.
  @_lifetime(copy body)
  init(decoding body: consuming MessageReader) throws(OperationError) {
    do throws(WireError) { self = try Self(body) } catch { throw .wire(error) }
  }
}

extension MessageWriter {
  /// Writes a reply's body.
  ///
  /// - Throws: `OperationError.fault`, because every reply fits its operation's cap.
  mutating func write<M: Message & ~Escapable>(_ reply: consuming M) throws(OperationError) {
    do throws(WireError) { try reply.encode(into: &self) } catch { throw .fault }
  }

  /// Writes one field of an opened token; likewise.
  mutating func write(_ field: ReleasedField, _ value: Span<UInt8>) throws(OperationError) {
    try onReply(bytes(field.number, value))
  }

  /// Writes when a token was signed, in seconds since 1970; likewise.
  mutating func write(signingTime: UInt64) throws(OperationError) {
    var seconds = signingTime
    try onReply(uint64(OpenPaymentTokenReply.signingTimeNumber, "signing_time", &seconds))
  }
}

/// Writes a reply, or a part of one, which fits its operation's cap: else the fault is ours.
func onReply<R: ~Copyable>(_ body: @autoclosure () throws(WireError) -> R) throws(OperationError)
  -> R
{
  do throws(WireError) { return try body() } catch { throw .fault }
}
