package import Audit
package import Crypto
package import Format
package import Policy

/// Selects the records that meet every condition that is set.
package struct RecordFilter: Hashable, Sendable {
  package var since: Timestamp?
  /// The first moment that no longer matches.
  package var until: Timestamp?
  package var user: UserCondition?
  package var unit: String?
  package var operation: String?
  package var key: KeyCondition?
  package var grant: String?
  package var result: String?
  package var stage: String?
  /// Of a transaction or an account number.
  package var digest: KeyedDigest?
  /// By which a fleet's hosts claimed a token or code.
  package var claim: Digest256?
  /// The caller's id of the request.
  package var request: RequestName?

  /// Of the caller, or of the account that its uid belongs to.
  package enum UserCondition: Hashable, Sendable {
    case number(UInt32)
    /// As the daemon found it: what another machine calls the number says nothing.
    case name(String)

    func covers(_ actor: Record.Actor) -> Bool {
      switch self {
      case .number(let uid): actor.uid == Int64(uid) || actor.owner == Int64(uid)
      case .name(let name): actor.name == name || actor.ownerName == name
      }
    }
  }

  package enum KeyCondition: Hashable, Sendable {
    case id(KeyID)
    case label(KeyPattern)
  }

  package init() {}

  package func covers(_ record: Record) -> Bool {
    if let since, record.time < since { return false }
    if let until, record.time >= until { return false }
    if let user, !(record.actor.map(user.covers) ?? false) { return false }
    if let unit, record.actor?.unit != unit { return false }
    if let operation, record.operation != operation { return false }
    if let grant, record.policy?.grant != grant { return false }
    if let result, record.result != result { return false }
    if let stage, record.stage != stage { return false }
    if let request, record.request != request.number { return false }
    if let claim, record.inputs.claim != claim, record.eventText("claim") != claim.hex { return false }
    if let digest, record.inputs.transaction != digest, record.inputs.pan != digest { return false }
    switch key {
    case .id(let id): return record.key == id || record.furtherKeys.contains(id)
    case .label(let pattern): return record.label.map(pattern.covers) ?? false
    case nil: return true
    }
  }
}
