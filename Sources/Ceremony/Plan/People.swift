import Audit
import Configuration
import Crypto
import Format
import KeyStore
package import Review

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
    let all = try root.sections("person", Person.init)
    guard (1...Self.limit).contains(all.count) else {
      throw root.error("expected 1 to \(Self.limit) tables under [[person]]")
    }
    for (index, person) in all.enumerated() {
      for other in all[..<index] {
        guard other.name != person.name else {
          throw root.error("two people are called \"\(person.name)\"; expected names of their own")
        }
        guard person.user != other.user || !person.roles.union(other.roles).contains(.custodian)
        else {
          throw root.error(
            "\"\(other.name)\" and \"\(person.name)\" are the same user; expected one of their own for each custodian"
          )
        }
        guard let key = person.key, other.key?.raw == key.raw else { continue }
        throw root.error(
          "\"\(other.name)\" and \"\(person.name)\" have the same key; expected one of their own for each"
        )
      }
    }
    let administrators = all.filter { $0.roles.contains(.administrator) }
    guard administrators.count == 1, let administrator = administrators.first else {
      throw root.error(
        "\(administrators.count) people are administrators; expected one, who sits at the keyboard")
    }
    guard let reader = all.first(where: { $0.roles.contains(.operator) }) else {
      throw root.error(
        "nobody is an operator; expected one, who types back what the administrator reads out")
    }
    self.all = all
    self.administrator = administrator
    self.reader = reader
  }

  package func person(named name: String) -> Person? { all.first { $0.name == name } }

  /// One custodian that a step names.
  func custodian(_ key: String, of table: TOMLTable, _ expected: String) throws(ConfigurationError)
    -> String
  {
    try custodian(table.required(key, expected))
  }

  /// The custodians that a step names, each once, since nobody may hold two parts of one key.
  func custodians(_ key: String, of table: TOMLTable, _ count: ClosedRange<Int>)
    throws(ConfigurationError) -> [String]
  {
    let expected = "\(count.lowerBound) to \(count.upperBound) different custodians"
    let node = try table.required(key, "an array of " + expected)
    let names = try table.list(key, "custodians", custodian)
    guard count.contains(names.count) else { throw node.unfit("\(names.count) names", expected) }
    return names
  }

  private func custodian(_ node: TOMLNode) throws(ConfigurationError) -> String {
    try node.text("the name of a person whose roles have custodian") { name in
      person(named: name).flatMap { $0.roles.contains(.custodian) ? name : nil }
    }
  }
}

/// A person who takes part.
package struct Person: Sendable {
  /// 1 to 32 of `a-z`, `0-9` and hyphens: short enough to be typed at every roll call.
  package let name: String
  package let roles: Set<PersonRole>
  /// The local user as whom they later hand in a share to a daemon: the one called `name`, unless
  /// the file names another.
  let user: String
  /// What a witness signs the transcript with; others may have one, too.
  package let key: PersonKey?

  /// Roles in the order of the script.
  package var roleText: String {
    PersonRole.allCases.filter(roles.contains).map(\.rawValue).joined(separator: ", ")
  }

  init(_ table: TOMLTable) throws(ConfigurationError) {
    name = try table.text("name", Self.expectedName) {
      Self.isName($0) ? $0 : nil
    }
    let names = PersonRole.allCases.map(\.rawValue).joined(separator: ", ")
    let rolesNode = try table.required("roles", "an array of \(names)")
    roles = Set(
      try table.list("roles", "roles") { node throws(ConfigurationError) in
        try node.text("one of \(names)") { PersonRole(rawValue: $0) }
      })
    let name = name
    let userNode = table.optional("user")
    user = try userNode?.text(Self.expectedUser) { Custodian(name: name, user: $0)?.user } ?? name
    guard !roles.contains(.custodian) || Custodian(name: name, user: user) != nil else {
      throw table.error(
        "'user' is missing, and no user can be called \"\(name)\"; expected \(Self.expectedUser)")
    }
    key = try table.optional("key")?.text(
      "an ssh-ed25519 public key, or the verifier key of a C2SP witness"
    ) { Printable.isLine($0) ? PersonKey($0) : nil }
    // A witness must have no other part in the ceremony.
    guard !roles.contains(.witness) || roles.count == 1 else {
      throw rolesNode.error("'roles' has witness and others; expected a witness to be nothing else")
    }
    guard !roles.isSuperset(of: [.administrator, .operator]) else {
      throw rolesNode.error(
        "'roles' has administrator and operator; expected two people, since the one checks the other"
      )
    }
    guard !roles.contains(.witness) || key != nil else {
      throw table.error("'key' is missing; expected what this witness signs the transcript with")
    }
  }

  private static let expectedUser =
    "the local user as whom this custodian hands in a share to kistd"
  private static let expectedName = "a name of 1 to 32 of a-z, 0-9 and '-'"

  static func isName(_ text: some StringProtocol) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0.isDigit
          || $0 == UInt8(ascii: "-")
      }
  }
}

/// What somebody does in a ceremony.
package enum PersonRole: String, CaseIterable, Sendable {
  /// Sits at the keyboard, and leads.
  case administrator
  /// Reads check values back, and types them: the second pair of eyes.
  case `operator`
  /// Holds one share or component of a key.
  case custodian
  /// Watches, and signs the transcript; does nothing else.
  case witness
}

/// The public key for somebody's signature of a transcript's checkpoint.
package enum PersonKey: Sendable {
  /// `ssh-keygen -Y sign`, namespace `ceremony`.
  case ssh(SSHPublicKey)
  /// A signature line of the note (C2SP tlog-cosignature).
  case cosigner(WitnessKey)

  /// Parses a line of an `authorized_keys` file, or `name+hex(key id)+base64(0x04 ‖ public key)`;
  /// nil for anything else.
  package init?(_ text: String) {
    if let key = SSHPublicKey(text) {
      self = .ssh(key)
    } else if let key = try? WitnessKey(vkey: text) {
      self = .cosigner(key)
    } else {
      return nil
    }
  }

  /// The raw Ed25519 key, which shows that two spellings are one key.
  var raw: [UInt8] {
    switch self {
    case .ssh(let key): key.raw
    case .cosigner(let key): Array(key.key.spki.suffix(32))
    }
  }

  /// How scripts name it.
  package var text: String {
    switch self {
    case .ssh(let key): "ssh-ed25519 " + key.fingerprint
    case .cosigner(let key): key.key.vkey
    }
  }
}
