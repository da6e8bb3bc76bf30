package import Policy

extension TOMLNode {
  /// A user by name or number.
  package func user(_ accounts: Accounts) throws(ConfigurationError) -> Principal { try principal("user", accounts.uid) }

  /// A group by name or number.
  package func group(_ accounts: Accounts) throws(ConfigurationError) -> Principal { try principal("group", accounts.gid) }

  private func principal(_ kind: String, _ id: (String) -> UInt32?) throws(ConfigurationError) -> Principal {
    let expected = "the name or number of a \(kind)"
    switch value {
    case .string(let name):
      guard name.isToken(count: 256), let id = id(name) else {
        throw error("unknown \(kind) \"\(name)\"; expected \(expected) on this system")
      }
      return Principal(id: id, name: name)
    case .integer(let number):
      guard let id = UInt32(exactly: number), id != UInt32.max else { throw unfit("\(number)", expected) }
      return Principal(id: id)
    case .table, .array, .boolean, .float, .dateOrTime: throw wrongType(expected)
    }
  }
}
