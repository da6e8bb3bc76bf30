package import Crypto
package import Format
package import Policy

/// What is known of a request before its outcome.
package struct RequestFacts: Sendable {
  package enum Operation: Hashable, Sendable {
    case known(Opcode)
    /// An opcode that this version does not know.
    case unknown(UInt16)
    /// The header could not be read.
    case unreadable
  }

  package let operation: Operation
  /// The client's own number for the request.
  package let id: UInt64
  package let caller: Caller
  package let key: KeyID?
  /// The key's label, if the key exists.
  package let label: String?
  /// SHA-256 of the effective policy's canonical text.
  package let policy: Digest256

  package init(
    _ operation: Operation, id: UInt64, caller: Caller, key: KeyID? = nil, label: String? = nil,
    policy: Digest256
  ) {
    self.operation = operation
    self.id = id
    self.caller = caller
    self.key = key
    self.label = label
    self.policy = policy
  }
}

/// The outcome of a request that policy allowed.
package enum Outcome: Hashable, Sendable {
  /// `Status.ok`, with the fields and secrets that were released.
  case done(released: ReleasedFields, secrets: ReleasedSecrets = [])
  /// `Status.rejected` at a stage.
  case rejected(Stage)
  /// `Status.busy` because of what is at this stage.
  case busy(Stage)
  /// Any other status, such as `busy` or `malformed`.
  case failed(Status)
}

/// What a record may say about a request's content: keyed digests and numbers.
package struct Inputs: Hashable, Sendable {
  /// The Apple transaction identifier.
  package var transaction: KeyedDigest?
  /// An envelope that opens once.
  package var envelope: KeyedDigest?
  /// The fields that were sealed into an envelope.
  package var sealed = ReleasedFields()
  /// The account number of an opened token.
  package var pan: KeyedDigest?
  /// The label of the partner's key under which alone the released fields left.
  package var partner: String?
  /// The person whose lock-out was reset.
  package var subject: KeyedDigest?
  /// ISO 4217 numeric code.
  package var currency: UInt16?
  /// In the currency's minor unit.
  package var amount: UInt64?
  /// How the activation data of a provisioned pass was made.
  package var activation: PassActivation?
  /// The field for which a provisioning request was refused.
  package var field: PassField?
  /// The required field that is not released.
  package var required: ReleasedField?
  /// Of a first opening with a retry key: the digest of caller and request, by which a repetition
  /// is known.
  package var retry: KeyedDigest?
  /// Of a repetition: the sequence of the first opening's record.
  package var retryOf: UInt64?
  /// Of what another host opened for the same request: the host's name.
  package var retryHost: String?
  /// By which an opening in a fleet is claimed [FLEET-CLAIM-1].
  package var claim: Digest256?
  /// Of an opening while the fleet's store was away: what is claimed afterwards besides `claim`.
  package var local: LocalOpening?
  /// What a reviewer signed off.
  package var review: SignOff?
  /// The copy of the key store that was made.
  package var backup: Backup?
  /// Of a signature that was asked for.
  package var scheme: SignatureChoice?
  /// How many changes the key's code ledger had by then. [KS-LEDGER-OLDER]
  package var ledger: UInt64?
  /// What a drill found.
  package var drill: Drill?
  /// The fingerprint of a custodian's share, 5 bytes.
  package var share: [UInt8]?
  /// When a share was submitted, if that was before the log was open.
  package var submitted: Timestamp?
  /// The second person's part in the request.
  package var approval: Approval?

  package init(
    transaction: KeyedDigest? = nil, pan: KeyedDigest? = nil, currency: UInt16? = nil,
    amount: UInt64? = nil
  ) {
    self.transaction = transaction
    self.pan = pan
    self.currency = currency
    self.amount = amount
  }

  var isEmpty: Bool { self == Inputs() }

  /// Whether the request was carried out on this host before.
  package var isRepetition: Bool { retryOf != nil }
}

/// A request that needs a second person's approval, and who gave it.
package struct Approval: Hashable, Sendable {
  /// Its short name, eight hexadecimal digits, which all records about it share.
  package let request: String
  /// A user id; nil while nobody has approved.
  package let by: UInt32?
  /// What the daemon found that user to be called; nil where it found nothing.
  package let byName: String?

  package init(request: String, by: UInt32? = nil, byName: String? = nil) {
    self.request = request
    self.by = by
    self.byName = byName
  }
}

/// Where a pass's activation data came from.
package enum PassActivation: String, CaseIterable, Sendable {
  case none
  case visa
  case mastercard
  /// Another network's: the caller's own data, unchanged.
  case passedThrough = "passed-through"
}

/// What goes with the claim of a token that was opened while the fleet's store was away
/// [FLEET-CLAIM-3] [FLEET-CLAIM-4].
package struct LocalOpening: Hashable, Sendable {
  /// The day of the token's signing time.
  package let day: UInt32
  /// Nil of a request that cannot be repeated.
  package let retry: Digest256?

  package init(day: UInt32, retry: Digest256?) {
    self.day = day
    self.retry = retry
  }
}

extension LocalOpening {
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("day", Int64(day))
    guard let retry else { return }
    writer.member("retry", hex: retry.span)
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readLocalOpening() throws(CanonicalJSONError) -> LocalOpening {
    var (day, retry): (UInt32?, Digest256?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "day": day = UInt32(exactly: try reader.readInteger())
      case "retry": retry = try reader.readDigest256()
      default: try reader.skip()
      }
    }
    guard let day else { throw .schema }
    return LocalOpening(day: day, retry: retry)
  }

  @_lifetime(self: copy self)
  mutating func readDigest256() throws(CanonicalJSONError) -> Digest256 {
    let place = try readStringPlace()
    guard let digest = Digest256(hexDigits: bytes(place)) else { throw .schema }
    return digest
  }
}
