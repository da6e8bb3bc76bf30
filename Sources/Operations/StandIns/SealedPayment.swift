internal import ApplePay
internal import Crypto
internal import Format
internal import Host
internal import KeyStore

/// The fields of a payment on their way into an envelope, as an `OpenPaymentTokenReply` in the arena [OP-ENV-2].
struct SealedPayment: ~Copyable {
  private let text: SecretBuffer
  private let count: Int
  /// What is in it.
  let fields: ReleasedFields

  /// Those of `wanted` that the payment has, and when the token was signed.
  init(_ wanted: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp) throws(OperationError) {
    var text = try Self.buffer(payment.capacity(for: wanted))
    (fields, count) = try Self.write(wanted, of: payment, signingTime, into: text.mutableBytes)
    self.text = text
  }

  /// A number alone, of a caller that has no token.
  init(pan: Span<UInt8>) throws(OperationError) {
    var text = try Self.buffer(pan.count + 8)
    count = try Self.write(pan, into: text.mutableBytes)
    fields = ReleasedFields([.dpan])
    self.text = text
  }

  /// - Parameter slot: of a key of role `sealing`.
  func sealed(
    with slot: KeySlot, for merchant: MerchantIdentifier, _ transaction: Span<UInt8>, _ terms: PaymentEnvelope.Terms
  ) throws(OperationError) -> [UInt8] {
    try slot.envelope(around: text.bytes.extracting(first: count), for: merchant, transaction, terms)
  }

  /// What is in it, read in place.
  ///
  /// - Throws: `.fault`, for it was written here.
  var payment: OpenPaymentTokenReply {
    @_lifetime(borrow self)
    borrowing get throws(OperationError) {
      do throws(WireError) { return try OpenPaymentTokenReply(MessageReader(text.bytes.extracting(first: count))) } catch { throw .fault }
    }
  }

  private static func write(
    _ fields: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp, into bytes: consuming MutableSpan<UInt8>
  ) throws(OperationError) -> (ReleasedFields, Int) {
    var writer = MessageWriter(bytes)
    let written = try writer.write(fields, of: payment, signingTime)
    return (written, writer.count)
  }

  private static func write(_ pan: Span<UInt8>, into bytes: consuming MutableSpan<UInt8>) throws(OperationError) -> Int {
    var writer = MessageWriter(bytes)
    try writer.write(.dpan, pan)
    return writer.count
  }

  private static func buffer(_ count: Int) throws(OperationError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch { throw OperationError(error) }
  }
}
