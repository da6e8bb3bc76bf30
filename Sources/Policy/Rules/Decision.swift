package import Format

/// What policy decides about one request.
package enum Decision: ~Copyable, Sendable {
  case allow(Grant)
  case deny(Denial)
}

/// Why a request was denied: recorded in the audit log, but not told to the caller.
package enum Denial: Error, Hashable, Sendable {
  /// No grant covers this caller, operation and key together.
  case noGrant
  /// The caller's user or group id is the overflow id of a foreign user namespace.
  case overflowIdentity
  /// There is no such key, or its kind or state does not fit the operation.
  case unknownKey
  /// The operation is only for the operators' socket.
  case wrongSocket
  /// A subordinate uid (/etc/subuid) on the operators' socket, where everybody must use their own
  /// account.
  case subordinateUser
  /// The grant's rate is exceeded.
  case rate(grant: String)
  /// The grant's quota for the user or for the key is used up.
  case quota(grant: String)

  /// The name in audit records.
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

  /// The names of all reasons.
  package static let reasons = [
    noGrant, overflowIdentity, unknownKey, wrongSocket, subordinateUser, rate(grant: ""),
    quota(grant: ""),
  ].map(\.name)

  /// The grant that covered the request but had nothing left.
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

  package init(id: KeyID, label: String) {
    self.id = id
    self.label = label
  }
}

/// The key that a request names, if any.
package enum NamedKey: Hashable, Sendable {
  case none
  /// A key that does not exist.
  case absent
  case known(KeyTarget)

  package var target: KeyTarget? { if case .known(let target) = self { target } else { nil } }

  /// The label that policy looks up. An absent key gets one of the usual shape that no key can
  /// have, so that both cost the same time.
  var label: String? {
    switch self {
    case .none: nil
    case .absent: "absent?/absent?/absent?"
    case .known(let target): target.label
    }
  }
}
