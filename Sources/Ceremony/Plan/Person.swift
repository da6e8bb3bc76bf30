internal import Configuration
internal import Format
internal import KeyStore

/// A person who takes part.
package struct Person: Sendable {
  /// 1 to 32 of `a-z`, `0-9` and hyphens: short enough to be typed at every roll call.
  package let name: String
  package let roles: Set<PersonRole>
  /// The local user as whom they later hand in a share to a daemon: the one called `name`, unless the file names another.
  let user: String
  /// What a witness signs the transcript with; others may have one, too.
  package let key: PersonKey?

  /// Roles in the order of the script.
  package var roleText: String { PersonRole.allCases.filter(roles.contains).map(\.rawValue).joined(separator: ", ") }

  init(_ table: TOMLTable) throws(ConfigurationError) {
    name = try table.required("name", Self.expectedName).text(Self.expectedName) { Self.isName($0) ? $0 : nil }
    let names = PersonRole.allCases.map(\.rawValue).joined(separator: ", ")
    let rolesNode = try table.required("roles", "an array of \(names)")
    roles = Set(
      try table.list("roles", "roles") { node throws(ConfigurationError) in try node.text("one of \(names)") { PersonRole(rawValue: $0) } })
    let (name, userNode) = (name, table.optional("user"))
    user = try userNode?.text(Self.expectedUser) { Custodian(name: name, user: $0)?.user } ?? name
    guard !roles.contains(.custodian) || Custodian(name: name, user: user) != nil else {
      throw table.error("'user' is missing, and no user can be called \"\(name)\"; expected \(Self.expectedUser)")
    }
    key = try table.optional("key")?.text("an ssh-ed25519 public key, or the verifier key of a C2SP witness") { Printable.isLine($0) ? PersonKey($0) : nil }
    // A witness must have no other part in the ceremony.
    guard !roles.contains(.witness) || roles.count == 1 else {
      throw rolesNode.error("'roles' has witness and others; expected a witness to be nothing else")
    }
    guard !roles.isSuperset(of: [.administrator, .operator]) else {
      throw rolesNode.error("'roles' has administrator and operator; expected two people, since the one checks the other")
    }
    guard !roles.contains(.witness) || key != nil else { throw table.error("'key' is missing; expected what this witness signs the transcript with") }
  }

  private static let expectedUser = "the local user as whom this custodian hands in a share to kistd"
  private static let expectedName = "a name of 1 to 32 of a-z, 0-9 and '-'"

  static func isName(_ text: some StringProtocol) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0.isDigit || $0 == UInt8(ascii: "-")
      }
  }
}
