internal import CryptoBackend
package import Encoding
package import SecretMemory

/// A PAN sealed for another service: bound to a merchant, a transaction and an expiry [OP-SURR-4].
///
/// `u64 expiry in seconds since 1970 ‖ Envelope`, big-endian. The binding
/// `"kist pan envelope 1" ‖ 00 ‖ expiry ‖ 32 B transaction ‖ merchant identifier` is the envelope's associated data, and also
/// derives its key: HKDF-SHA-256 of the stored key with the binding as info. So an operation that opens the stored key's other
/// envelopes opens none of these, and these need no count of the stored key's sealings.
package enum PANEnvelope {
  /// In bytes.
  package static let transactionSize = 32
  private static let expirySize = 8
  package static let sizes = PAN.lengths.lowerBound + expirySize + Envelope.overhead...PAN.lengths.upperBound + expirySize + Envelope.overhead
  /// In seconds, up to 366 days.
  package static let lifetimes: ClosedRange<UInt32> = 1...31_622_400

  /// The merchant, transaction and expiry to which the envelope is bound.
  package struct Binding: Sendable {
    let merchant: [UInt8]
    let transaction: [UInt8]

    /// - Parameters:
    ///   - merchant: the merchant identifier's text.
    ///   - transaction: 32 bytes.
    package init?(merchant: [UInt8], transaction: [UInt8]) {
      // With another size, part of it could be taken for the identifier.
      guard transaction.count == transactionSize else { return nil }
      (self.merchant, self.transaction) = (merchant, transaction)
    }

    fileprivate func bytes(expiry: [UInt8]) -> [UInt8] { Array("kist pan envelope 1".utf8) + [0] + expiry + transaction + merchant }
  }

  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - id: the key's, 16 bytes.
  ///   - expiry: seconds since 1970.
  /// - Throws: `.notPAN` for anything but ten to nineteen digits.
  package static func seal(
    _ pan: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, for binding: Binding, expiry: UInt64
  ) throws(PANError) -> [UInt8] {
    guard PAN.hasForm(pan) else { throw .notPAN }
    let expiry = (0..<expirySize).map { UInt8(truncatingIfNeeded: expiry >> (56 - 8 * $0)) }
    let bound = binding.bytes(expiry: expiry)
    do throws(CryptoError) {
      let own = try derive(key, bound)
      return expiry + (try Envelope.seal(pan, key: own.bytes, id: id, associatedData: bound.span))
    } catch { throw .crypto(error) }
  }

  /// - Throws: `.notEnvelope` if the envelope, its key or its binding differs in anything; `.expired` for a genuine one after its expiry.
  package static func open(
    _ bytes: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, for binding: Binding, now: Timestamp
  ) throws(PANError) -> SecretBuffer {
    guard sizes.contains(bytes.count) else { throw .notEnvelope }
    let expiry = bytes.extracting(first: expirySize)
    let bound = binding.bytes(expiry: expiry.array)
    let pan: SecretBuffer
    do throws(CryptoError) {
      let envelope = try Envelope(bytes.extracting(droppingFirst: expirySize))
      guard ConstantTime.equal(envelope.keyID, id) else { throw .authenticationFailed }
      let own = try derive(key, bound)
      pan = try envelope.open(key: own.bytes, associatedData: bound.span)
    } catch { throw error == .authenticationFailed || error == .invalidInput ? .notEnvelope : .crypto(error) }
    guard now.seconds < seconds(expiry) else { throw .expired }
    return pan
  }

  private static func derive(_ key: Span<UInt8>, _ binding: [UInt8]) throws(CryptoError) -> SecretBuffer {
    let salt: [UInt8] = []
    return try HKDFSHA256.derive(secret: key, salt: salt.span, info: binding.span, count: 32)
  }

  private static func seconds(_ expiry: Span<UInt8>) -> Int64 {
    var value: UInt64 = 0
    for i in expiry.indices { value = value << 8 | UInt64(expiry[i]) }
    return Int64(clamping: value)
  }
}
