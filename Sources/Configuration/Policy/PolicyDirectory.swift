package import Policy

/// `policy.d`: every `*.toml` in it, in byte order of their names, is the policy.
package enum PolicyDirectory {
  package static let defaultPath = "/etc/kist/policy.d"

  /// Reads and checks all the files; names of users and groups are looked up in `accounts`.
  ///
  /// Names that start with a dot or do not end in `.toml` are passed over, as are what editors leave behind.
  package static func load(_ directory: String, accounts: Accounts = .system) throws(ConfigurationError) -> Policy {
    try locate(directory, accounts: accounts).policy
  }

  /// The same with the place of every grant.
  package static func locate(_ directory: String, accounts: Accounts = .system) throws(ConfigurationError) -> LocatedPolicy {
    var files: [Source] = []
    for name in try TextFile.names(in: directory, suffix: ".toml") {
      let path = directory.hasSuffix("/") ? directory + name : directory + "/" + name
      files.append(Source(file: path, text: try TextFile.read(path)))
    }
    return try locate(files, accounts: accounts)
  }

  /// The text of a file, and the name that errors call it by.
  package struct Source: Sendable {
    package let file: String
    package let text: [UInt8]

    package init(file: String, text: [UInt8]) { (self.file, self.text) = (file, text) }
  }

  /// The policy of files already in order.
  package static func decode(_ files: [Source], accounts: Accounts) throws(ConfigurationError) -> Policy {
    try locate(files, accounts: accounts).policy
  }

  package static func locate(_ files: [Source], accounts: Accounts) throws(ConfigurationError) -> LocatedPolicy {
    var located: [PolicyFile.Located] = []
    for source in files { located += try PolicyFile.decode(source.text, file: source.file, accounts: accounts) }
    do throws(PolicyError) {
      let places = located.map { LocatedPolicy.Place(file: $0.id.file, position: $0.id.position) }
      return LocatedPolicy(policy: try Policy(located.map(\.rule)), places: places)
    } catch {
      switch error {
      case .duplicate(let first, let second):
        let (original, again) = (located[first].id, located[second].id)
        throw again.error(
          "'id' is \"\(located[first].rule.id)\" as at \(original.file):\(original.position.line); expected an id of its own")
      }
    }
  }
}
