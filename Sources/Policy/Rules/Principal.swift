package import Format

/// A user or a group: the id, which decides, and the name that it was written with.
package struct Principal: Message, Sendable {
  package private(set) var id: UInt32 = 0
  /// The name in the policy file; nil if the file gives the number.
  package private(set) var name: String?

  package init() {}
  package init(id: UInt32, name: String? = nil) { (self.id, self.name) = (id, name) }

  package static let root: UInt32 = 0

  /// The kernel's stand-in for an id of a user namespace that is not mapped here: it may be anybody.
  package static let overflow: UInt32 = 65_534

  /// Whether the id belongs to a single account; the overflow id and `(uid_t)-1` do not.
  package var namesSomebody: Bool { id != Self.overflow && id != UInt32.max }
}

extension Principal {
  /// As it travels to the program that decides.
  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    // Root's number is there, too.
    var number: UInt32? = id
    try visitor.uint32(1, "id", &number)
    var text = name ?? ""
    try visitor.text(2, "name", &text, .atMost(256))
    guard let number else { throw .badValue(1) }
    (id, name) = (number, text.isEmpty ? nil : text)
  }
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
