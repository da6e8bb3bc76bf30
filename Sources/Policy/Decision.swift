package import Wire

/// What policy says to one request.
package enum Decision: ~Copyable, Sendable {
  case allow(Grant)
  case deny(Denial)
}

/// Why a request was denied; the audit record names it, the caller does not learn it.
package enum Denial: Hashable, Sendable {
  /// No grant names this caller, operation and key together.
  case noGrant
  /// The caller's user or group id is the overflow id of a foreign user namespace.
  case overflowIdentity
  /// There is no such key, or it is not of a kind or in a state the operation works with.
  case unknownKey
  /// The operation belongs to the operators' socket.
  case wrongSocket
  /// A uid from /etc/subuid on the operators' socket, where everybody comes under their own.
  case subordinateUser
  /// The grant's rate is used up.
  case rate(grant: String)
  /// The grant's quota, of the user or of the key, is used up.
  case quota(grant: String)

  /// As the audit record writes it.
  package var name: String {
    switch self {
    case .noGrant: "no-grant"
    case .overflowIdentity: "overflow-identity"
    case .unknownKey: "unknown-key"
    case .wrongSocket: "wrong-socket"
    case .subordinateUser: "subordinate-user"
    case .rate: "rate"
    case .quota: "quota"
    }
  }

  /// The grant that covered the request and had nothing left.
  package var grant: String? {
    switch self {
    case .rate(let grant), .quota(let grant): grant
    case .noGrant, .overflowIdentity, .unknownKey, .wrongSocket, .subordinateUser: nil
    }
  }
}

/// The key a request is about, as policy sees it.
package struct KeyTarget: Hashable, Sendable {
  package let id: KeyID
  /// Such as `merchant/acme/processing-2026`.
  package let label: String

  package init(id: KeyID, label: String) { (self.id, self.label) = (id, label) }
}

/// Which key a request names.
package enum NamedKey: Hashable, Sendable {
  case none
  /// One that is not there.
  case absent
  case known(KeyTarget)

  package var target: KeyTarget? { if case .known(let target) = self { target } else { nil } }

  /// What policy looks up: for an absent key a label of the usual kind that no key can have, so that it costs as much as any other.
  var label: String? {
    switch self {
    case .none: nil
    case .absent: "absent?/absent?/absent?"
    case .known(let target): target.label
    }
  }
}
