internal import Audit
internal import Crypto
package import Format
package import KeyStore
package import Policy

/// The digests of claims, which the fleet's key makes [FLEET-CLAIM-1] to [FLEET-CLAIM-3].
package struct ClaimDigests: Sendable {
  private let key: KeySlot

  /// - Parameter key: of role `fleet`.
  package init(_ key: KeySlot) { self.key = key }

  /// - Parameter publicKeyHash: of the processing key; 32 bytes, like the transaction's id.
  package func opening(_ publicKeyHash: Span<UInt8>, _ transaction: Span<UInt8>) throws(OperationError) -> ClaimDigest {
    ClaimDigest(try Self.digest(key, Self.prefix + [1], publicKeyHash, transaction))
  }

  /// The claim of a payment whose envelope opens once. [FLEET-CLAIM-11]
  package func payment(_ transaction: Span<UInt8>, _ pan: Span<UInt8>) throws(OperationError) -> ClaimDigest {
    ClaimDigest(try Self.digest(key, Self.prefix + [3], transaction, pan))
  }

  /// The claim of a person's code of a time step.
  package func code(_ slot: KeySlot, _ subject: Span<UInt8>, step: UInt64) throws(OperationError) -> ClaimDigest {
    let codeKey = try Self.digest(slot, Array("kist/otp-claim/v1\0".utf8), subject)
    let number = step.bigEndianBytes
    return ClaimDigest(try Self.digest(key, Self.prefix + [2], codeKey.span, number.span))
  }

  /// By which the same request of the same user is known on every host.
  package func retry(_ body: Span<UInt8>, by caller: Caller, under grant: String) throws(OperationError) -> ClaimDigest {
    ClaimDigest(try Self.digest(key, Array("kist/retry/v1\0\(caller.accountName)\0\(grant)\0".utf8), body))
  }

  /// Tells the key from others, and no more of it than its check value does. [FLEET-CLAIM-9]
  var check: ClaimDigest { ClaimDigest(SHA256.hash(key.record.check.value)) }

  private static let prefix = Array("kist/claim/v1\0".utf8)

  private static func digest(
    _ slot: KeySlot, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8> = Span()
  ) throws(OperationError) -> Digest256 {
    do throws(CryptoError) {
      let digest = try slot.withSymmetricKey { (key) throws(CryptoError) in try HMACSHA256.authenticate(key: key, name, value, rest) }
      guard let digest else { throw .invalidKey }
      return digest
    } catch { throw OperationError(error) }
  }
}
