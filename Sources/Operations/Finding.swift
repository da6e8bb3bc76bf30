package import Audit
internal import Crypto
package import Format
package import KeyStore
package import Policy

/// What an operation adds to the audit record besides who, what and when; nothing else of a request reaches the log.
package final class Finding {
  /// Keyed digests and numbers from the request; recorded even if the operation fails.
  package var inputs = Inputs() { didSet { hasInputs = true } }
  private var hasInputs = false
  /// `inputs`; nil if nothing was noted, which most requests need not compare to know.
  package var notedInputs: Inputs? { hasInputs ? inputs : nil }
  /// The fields of an opened token that were released.
  package var released = ReleasedFields()
  /// The secrets of a primitive that were released.
  package var secrets = ReleasedSecrets()

  /// Other keys whose material was used, besides the request's own.
  package var furtherKeys: [KeyID] = []

  /// What the request took and did not keep yet.
  package var reservations = Reservations()

  /// A change of a key's state.
  package var change: Change?

  package struct Change: Sendable {
    package let kind: Event.KeyChange
    package let key: KeyTarget
    package let persons: Persons
  }

  package init() {}

  /// Notes what a request is claimed by, which of its openings on this host was the first, and which host was before.
  package func note(_ retry: Retry, _ claim: ClaimState) {
    if let first = retry.first { inputs.retryOf = first.sequence }
    guard let found = claim.found else { return }
    note(found.claim)
    inputs.retryHost = claim.elsewhere?.host
  }

  func note(_ claim: Claim) { inputs.claim = Digest256(claim.digest) }

  /// Refuses a request that requires a field which is not among these, and says which [OP-OPEN-10].
  func demand(_ required: ReleasedFields, of released: ReleasedFields) throws(OperationError) {
    guard let missing = required.subtracting(released).fields.first else { return }
    (inputs.required, inputs.sealed) = (missing, [])
    throw .rejected(.notReleased)
  }
}
