/// A user or a group: the id that decides, and the name it was written by.
package struct Principal: Sendable {
  package let id: UInt32
  /// As the policy file names it; nil where the file gives the number.
  package let name: String?

  package init(id: UInt32, name: String? = nil) { (self.id, self.name) = (id, name) }

  package static let root: UInt32 = 0

  /// What the kernel shows for an id of a user namespace that does not map here: it may be anybody.
  package static let overflow: UInt32 = 65_534

  /// Whether the id names one account; the overflow id and `(uid_t)-1` do not.
  package var namesSomebody: Bool { id != Self.overflow && id != UInt32.max }
}

extension Principal: Hashable {
  /// Two names of one id are one principal.
  package static func == (a: Principal, b: Principal) -> Bool { a.id == b.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Principal: CustomStringConvertible {
  /// `1001 acme-gateway`, or `1001`.
  package var description: String { name.map { "\(id) \($0)" } ?? "\(id)" }
}
