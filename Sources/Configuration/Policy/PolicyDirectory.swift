package import Policy

/// `policy.d`: every `*.toml` in it, in byte order of their names, is the policy.
package enum PolicyDirectory {
  package static let defaultPath = "/etc/kist/policy.d"

  /// Reads and checks all the files; names of users and groups are looked up in `accounts`.
  ///
  /// Names that start with a dot or do not end in `.toml` are passed over, as are what editors leave behind.
  package static func load(_ directory: String, accounts: Accounts = .system) throws(ConfigurationError) -> Policy {
    var files: [Source] = []
    for name in try TextFile.names(in: directory, suffix: ".toml") {
      let path = directory.hasSuffix("/") ? directory + name : directory + "/" + name
      files.append(Source(file: path, text: try TextFile.read(path)))
    }
    return try decode(files, accounts: accounts)
  }

  /// The text of a file, and the name that errors call it by.
  package struct Source: Sendable {
    package let file: String
    package let text: [UInt8]

    package init(file: String, text: [UInt8]) { (self.file, self.text) = (file, text) }
  }

  /// The policy of files already in order.
  package static func decode(_ files: [Source], accounts: Accounts) throws(ConfigurationError) -> Policy {
    var located: [PolicyFile.Located] = []
    for source in files { located += try PolicyFile.decode(source.text, file: source.file, accounts: accounts) }
    do throws(PolicyError) {
      return try Policy(located.map(\.rule))
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
