/// A user or a group: the id, which decides, and the name that it was written with.
package struct Principal: Sendable {
  package let id: UInt32
  /// The name in the policy file; nil if the file gives the number.
  package let name: String?

  package init(id: UInt32, name: String? = nil) { (self.id, self.name) = (id, name) }

  package static let root: UInt32 = 0

  /// The kernel's stand-in for an id of a user namespace that is not mapped here: it may be anybody.
  package static let overflow: UInt32 = 65_534

  /// Whether the id belongs to a single account; the overflow id and `(uid_t)-1` do not.
  package var namesSomebody: Bool { id != Self.overflow && id != UInt32.max }
}

extension Principal: Hashable {
  /// Two names for one id are the same principal.
  package static func == (a: Principal, b: Principal) -> Bool { a.id == b.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Principal: CustomStringConvertible {
  /// `1001 acme-gateway`, or `1001`.
  package var description: String { name.map { "\(id) \($0)" } ?? "\(id)" }
}
