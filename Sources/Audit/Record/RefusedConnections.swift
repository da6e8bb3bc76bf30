package import Format

/// Connections of one kind that were not served, counted over about a second.
package struct RefusedConnections: Hashable, Sendable {
  package struct Kind: Hashable, Sendable {
    package let socket: Socket
    package let reason: Reason
    /// The user, for a subordinate uid its owner; nil if unknown, or if there are more users than are counted one by one.
    package let uid: UInt32?

    package init(_ socket: Socket, _ reason: Reason, uid: UInt32?) { (self.socket, self.reason, self.uid) = (socket, reason, uid) }
  }

  package enum Socket: String, Sendable { case services, operators }

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

  package init(_ kind: Kind, at time: Timestamp) { (self.kind, first, last) = (kind, time, time) }

  package mutating func add(at time: Timestamp) {
    count += 1
    last = time
  }
}
