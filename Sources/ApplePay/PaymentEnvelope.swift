import Crypto
package import Format
package import Host

/// Fields of a payment, sealed for another service: bound to a merchant, a transaction and a time,
/// and opened any number of times or once [OP-ENV-2].
///
/// `u8 uses ‖ u64 made ‖ u64 expiry ‖ Envelope`, big-endian; `uses` is 1 if it opens once, else 0,
/// and times are seconds since 1970. The binding `"kist payment envelope 1" ‖ 00 ‖ these 17 bytes ‖
/// 32 B transaction ‖ merchant identifier` is the `Envelope`'s associated data, and derives its
/// key, too: HKDF-SHA-256 of the stored key with the binding as info. So an operation that opens
/// the stored key's other envelopes opens none of these, and these need no count of the stored
/// key's sealings.
package struct PaymentEnvelope: ~Escapable {
  /// In bytes.
  package static let transactionSize = 32
  private static let termsSize = 17
  /// How much longer than its contents it is, in bytes.
  package static let overhead = termsSize + Envelope.overhead
  /// In seconds, up to 366 days.
  package static let lifetimes: ClosedRange<UInt32> = 1...31_622_400

  /// How often it opens, and when.
  package struct Terms: Hashable, Sendable {
    package let opensOnce: Bool
    /// Seconds since 1970.
    package let made, expiry: Int64

    /// - Parameter lifetime: in seconds.
    package init(opensOnce: Bool, made now: Timestamp, lifetime: UInt32) {
      self.opensOnce = opensOnce
      made = now.seconds
      expiry = now.seconds + Int64(lifetime)
    }
  }

  /// The merchant and transaction to which it is bound.
  package struct Binding: Sendable {
    private let merchant: [UInt8]
    private let transaction: [UInt8]

    /// - Parameters:
    ///   - merchant: the merchant identifier's text.
    ///   - transaction: 32 bytes.
    package init?(merchant: [UInt8], transaction: [UInt8]) {
      // With another size, part of it could be taken for the identifier.
      guard transaction.count == transactionSize else { return nil }
      self.merchant = merchant
      self.transaction = transaction
    }

    fileprivate func bytes(_ terms: [UInt8]) -> [UInt8] {
      Array("kist payment envelope 1".utf8) + [0] + terms + transaction + merchant
    }
  }

  /// Not authenticated before `open`.
  package let terms: Terms
  private let bytes: Span<UInt8>

  /// - Throws: `.notEnvelope` for bytes that `seal` never makes.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(PANError) {
    guard bytes.count > Self.overhead, bytes[0] <= 1 else { throw .notEnvelope }
    terms = Terms(bytes.extracting(first: Self.termsSize))
    self.bytes = bytes
  }

  /// - Parameters:
  ///   - fields: what is sealed, at least one byte.
  ///   - key: 32 bytes.
  ///   - id: the key's, 16 bytes.
  package static func seal(
    _ fields: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, for binding: Binding, _ terms: Terms
  ) throws(PANError) -> [UInt8] {
    let written = terms.bytes
    let bound = binding.bytes(written)
    let own = try onCrypto(derive(key, bound))
    return written
      + (try onCrypto(Envelope.seal(fields, key: own.bytes, id: id, associatedData: bound.span)))
  }

  /// What was sealed.
  ///
  /// - Throws: `.notEnvelope` if the envelope, its key or its binding differs in anything;
  ///   `.expired` for a genuine one after its expiry.
  package func open(key: Span<UInt8>, id: Span<UInt8>, for binding: Binding, now: Timestamp)
    throws(PANError) -> SecretBuffer
  {
    let bound = binding.bytes(bytes.extracting(first: Self.termsSize).array)
    let fields: SecretBuffer
    do throws(CryptoError) {
      let envelope = try Envelope(bytes.extracting(droppingFirst: Self.termsSize))
      guard ConstantTime.equal(envelope.keyID, id) else { throw .authenticationFailed }
      let own = try Self.derive(key, bound)
      fields = try envelope.open(key: own.bytes, associatedData: bound.span)
    } catch {
      throw error == .authenticationFailed || error == .invalidInput ? .notEnvelope : .crypto(error)
    }
    guard now.seconds < terms.expiry else { throw .expired }
    return fields
  }

  private static func derive(_ key: Span<UInt8>, _ binding: [UInt8]) throws(CryptoError)
    -> SecretBuffer
  {
    let salt: [UInt8] = []
    return try HKDFSHA256.derive(secret: key, salt: salt.span, info: binding.span, count: 32)
  }
}

extension PaymentEnvelope.Terms {
  fileprivate var bytes: [UInt8] {
    [opensOnce ? 1 : 0] + made.bigEndianBytes + expiry.bigEndianBytes
  }

  /// - Parameter bytes: 17, of which the first is at most 1.
  fileprivate init(_ bytes: Span<UInt8>) {
    opensOnce = bytes[0] == 1
    made = Int64(clamping: UInt64(bigEndian: bytes, at: 1))
    expiry = Int64(clamping: UInt64(bigEndian: bytes, at: 9))
  }
}
