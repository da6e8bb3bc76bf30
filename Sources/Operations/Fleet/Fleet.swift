import Audit
package import Crypto
package import Format
package import KeyStore
package import Policy

/// This host's part in a fleet: one for as long as the daemon runs.
package struct Fleet: Sendable {
  /// This host's name.
  package let host: String
  /// The label of the key of role `fleet`.
  package let key: KeyLabel
  /// The labels of the keys whose codes by counter are made and checked here. [FLEET-F6]
  package let homeKeys: Set<String>
  package let store: any FleetStore

  package init(host: String, key: KeyLabel, homeKeys: Set<String> = [], store: any FleetStore) {
    self.host = host
    self.key = key
    self.homeKeys = homeKeys
    self.store = store
  }

  /// Makes the digests of claims; nil while the store has no active key for that, which is as good
  /// as no store.
  func digests(_ keys: KeyStore, at now: Timestamp) -> ClaimDigests? {
    keys.fleetKey(labelled: key, at: now).map { ClaimDigests($0) }
  }
}

extension DaemonContext {
  /// Whether nothing can be claimed now.
  package var isStoreAway: Bool {
    fleet.map { $0.store.isAway || $0.digests(keys, at: clock()) == nil } ?? false
  }

  /// Claims under the fleet's key, as `FleetStore.claim`.
  package func claim(_ claims: [Claim]) -> [ClaimHolding]? {
    guard let fleet, let key = fleet.digests(keys, at: clock()) else { return nil }
    return fleet.store.claim(claims, under: key.check)
  }
}

extension OperationContext {
  /// In a fleet, refuses codes by counter where their key is not at home. [FLEET-F6]
  func checkHome(of slot: KeySlot, _ code: OTPCode) throws(OperationError) {
    guard let fleet = daemon.fleet, code.step == nil,
      !fleet.homeKeys.contains(slot.record.label.text)
    else { return }
    throw .rejected(.otpHome)
  }
}

/// Where the hosts of a fleet make their claims.
package protocol FleetStore: Sendable {
  /// Claims these, 1 to 512 that differ from one another, and waits for who holds each, in the same
  /// order.
  ///
  /// - Parameter key: tells under which key; the store takes claims under one alone.
  ///   [FLEET-CLAIM-9]
  /// - Returns: nil if the store is away, or too slow: then nobody knows whether they are claimed.
  func claim(_ claims: [Claim], under key: ClaimDigest) -> [ClaimHolding]?
  /// Whether it is known to be away.
  var isAway: Bool { get }
}

extension ClaimDigest {
  package init(_ digest: Digest256) { self = ClaimDigest(digest.span) ?? .zero }
}

extension Digest256 {
  package init(_ claim: ClaimDigest) { self = Digest256(claim.bytes) ?? .zero }
}

extension Claim {
  /// The day of a moment, in seconds since 1970. [FLEET-CLAIM-4]
  package static func day(of seconds: Int64) -> UInt32 { UInt32(clamping: seconds / 86_400) }
}

/// The digests of claims, which the fleet's key makes [FLEET-CLAIM-1] to [FLEET-CLAIM-3].
package struct ClaimDigests: Sendable {
  private let key: KeySlot

  /// - Parameter key: of role `fleet`.
  package init(_ key: KeySlot) { self.key = key }

  /// - Parameter publicKeyHash: of the processing key; 32 bytes, like the transaction's id.
  package func opening(_ publicKeyHash: Span<UInt8>, _ transaction: Span<UInt8>)
    throws(OperationError) -> ClaimDigest
  {
    ClaimDigest(try Self.digest(key, Self.prefix + [1], publicKeyHash, transaction))
  }

  /// The claim of a payment whose envelope opens once. [FLEET-CLAIM-11]
  package func payment(_ transaction: Span<UInt8>, _ pan: Span<UInt8>) throws(OperationError)
    -> ClaimDigest
  {
    ClaimDigest(try Self.digest(key, Self.prefix + [3], transaction, pan))
  }

  /// The claim of a person's code of a time step.
  package func code(_ slot: KeySlot, _ subject: Span<UInt8>, step: UInt64) throws(OperationError)
    -> ClaimDigest
  {
    let codeKey = try Self.digest(slot, Array("kist/otp-claim/v1\0".utf8), subject)
    let number = step.bigEndianBytes
    return ClaimDigest(try Self.digest(key, Self.prefix + [2], codeKey.span, number.span))
  }

  /// By which the same request of the same user is known on every host.
  package func retry(_ body: Span<UInt8>, by caller: Caller, under grant: String)
    throws(OperationError) -> ClaimDigest
  {
    ClaimDigest(
      try Self.digest(key, Array("kist/retry/v1\0\(caller.accountName)\0\(grant)\0".utf8), body))
  }

  /// Tells the key from others, and no more of it than its check value does. [FLEET-CLAIM-9]
  var check: ClaimDigest { ClaimDigest(SHA256.hash(key.record.check.value)) }

  private static let prefix = Array("kist/claim/v1\0".utf8)

  private static func digest(
    _ slot: KeySlot, _ name: [UInt8], _ value: Span<UInt8>, _ rest: Span<UInt8> = Span()
  ) throws(OperationError) -> Digest256 {
    do throws(CryptoError) {
      let digest = try slot.withSymmetricKey { (key) throws(CryptoError) in
        try HMACSHA256.authenticate(key: key, name, value, rest)
      }
      guard let digest else { throw .invalidKey }
      return digest
    } catch { throw OperationError(error) }
  }
}
