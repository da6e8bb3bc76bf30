internal import Configuration

/// Everybody who takes part, and the rules that hold among them.
package struct People: Sendable {
  package let all: [Person]
  /// Sits at the keyboard.
  package let administrator: Person
  /// Types back what the administrator reads out.
  package let reader: Person

  package var witnesses: [Person] { all.filter { $0.roles.contains(.witness) } }

  package static let limit = 64

  init(_ root: TOMLTable) throws(ConfigurationError) {
    let all = try root.sections("person") { table throws(ConfigurationError) in try Person(table) }
    guard (1...Self.limit).contains(all.count) else { throw root.error("expected 1 to \(Self.limit) tables under [[person]]") }
    for (index, person) in all.enumerated() {
      for other in all[..<index] {
        guard other.name != person.name else { throw root.error("two people are called \"\(person.name)\"; expected names of their own") }
        guard person.user != other.user || !person.roles.union(other.roles).contains(.custodian) else {
          throw root.error("\"\(other.name)\" and \"\(person.name)\" are the same user; expected one of their own for each custodian")
        }
        guard let key = person.key, other.key?.raw == key.raw else { continue }
        throw root.error("\"\(other.name)\" and \"\(person.name)\" have the same key; expected one of their own for each")
      }
    }
    let administrators = all.filter { $0.roles.contains(.administrator) }
    guard administrators.count == 1, let administrator = administrators.first else {
      throw root.error("\(administrators.count) people are administrators; expected one, who sits at the keyboard")
    }
    guard let reader = all.first(where: { $0.roles.contains(.operator) }) else {
      throw root.error("nobody is an operator; expected one, who types back what the administrator reads out")
    }
    (self.all, self.administrator, self.reader) = (all, administrator, reader)
  }

  package func person(named name: String) -> Person? { all.first { $0.name == name } }

  /// One custodian that a step names.
  func custodian(_ key: String, of table: TOMLTable, _ expected: String) throws(ConfigurationError) -> String {
    try table.required(key, expected).text("the name of a person whose roles have custodian") { name in
      person(named: name).flatMap { $0.roles.contains(.custodian) ? name : nil }
    }
  }

  /// The custodians that a step names, each once, since nobody may hold two parts of one key.
  func custodians(_ key: String, of table: TOMLTable, _ count: ClosedRange<Int>) throws(ConfigurationError) -> [String] {
    let expected = "\(count.lowerBound) to \(count.upperBound) different custodians"
    let node = try table.required(key, "an array of " + expected)
    let names = try table.list(key, "custodians") { node throws(ConfigurationError) in
      try node.text("the name of a person whose roles have custodian") { name in
        person(named: name).flatMap { $0.roles.contains(.custodian) ? name : nil }
      }
    }
    guard count.contains(names.count) else { throw node.unfit("\(names.count) names", expected) }
    return names
  }
}
