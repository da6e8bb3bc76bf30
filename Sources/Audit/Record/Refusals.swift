package import Format
package import Policy

/// Refused requests of one caller, counted by operation and reason, in one record.
package struct CountedRefusals: Sendable {
  /// One kind of refusal. There are few: operations times reasons.
  package struct Kind: Hashable, Sendable {
    /// An operation's name; `unknown` for every opcode that has none.
    package let operation: String
    /// As in the record of a single refusal.
    package let result: Status
    package let denial: String?
  }

  package private(set) var counts: [Kind: UInt64] = [:]
  /// When the first and the last refusal came.
  package private(set) var first, last: Timestamp

  package init(at time: Timestamp) {
    first = time
    last = time
  }

  package var total: UInt64 { counts.values.reduce(0, +) }

  package mutating func add(
    _ refusal: RefusalReason, of operation: RequestFacts.Operation, at time: Timestamp
  ) {
    counts[
      Kind(operation: operation.countedName, result: refusal.result, denial: refusal.denial?.name),
      default: 0] += 1
    last = time
  }

  package mutating func add(_ other: CountedRefusals) {
    counts.merge(other.counts, uniquingKeysWith: +)
    first = min(first, other.first)
    last = max(last, other.last)
  }

  /// The members of the record's `event`.
  func write(into writer: inout CanonicalJSONWriter) {
    writer.member("count", total)
    writer.member("first", first.description)
    writer.name("kinds")
    writer.array { writer in
      for (kind, count) in counts.sorted(by: { $0.key.order < $1.key.order }) {
        writer.element()
        writer.object { writer in
          writer.member("count", count)
          writer.member("denial", kind.denial)
          writer.member("op", kind.operation)
          writer.member("result", kind.result.name)
        }
      }
    }
    writer.member("last", last.description)
  }
}

/// Why a request was refused before it was carried out.
package enum RefusalReason: Hashable, Sendable {
  /// By policy.
  case denied(Denial)
  /// Before policy was asked.
  case refused(Status)

  var result: Status {
    switch self {
    case .denied: .denied
    case .refused(let status): status
    }
  }

  var denial: Denial? {
    switch self {
    case .denied(let denial): denial
    case .refused: nil
    }
  }
}

extension CountedRefusals.Kind {
  fileprivate var order: (String, String, String) { (operation, result.name, denial ?? "") }
}

extension RequestFacts.Operation {
  fileprivate var countedName: String {
    switch self {
    case .known(let opcode): opcode.name
    case .unknown: "unknown"
    case .unreadable: "unreadable"
    }
  }
}

/// Connections of one kind that were not served, counted over about a second.
package struct RefusedConnections: Hashable, Sendable {
  package struct Kind: Hashable, Sendable {
    package let socket: SocketKind
    package let reason: Reason
    /// The user, for a subordinate uid its owner; nil if unknown, or if there are more users than
    /// are counted one by one.
    package let uid: UInt32?

    package init(_ socket: SocketKind, _ reason: Reason, uid: UInt32?) {
      self.socket = socket
      self.reason = reason
      self.uid = uid
    }
  }

  package enum Reason: String, Sendable {
    /// All of the socket's connections are in use, or all of the user's.
    case full
    /// The kernel did not say who calls, or /etc/subuid names several owners.
    case unidentified
  }

  package let kind: Kind
  package private(set) var count: UInt64 = 1
  package let first: Timestamp
  package private(set) var last: Timestamp

  package init(_ kind: Kind, at time: Timestamp) {
    self.kind = kind
    first = time
    last = time
  }

  package mutating func add(at time: Timestamp) {
    count += 1
    last = time
  }
}
