package import Policy

/// `policy.d`: all `*.toml` files in it, in byte order of their names, are the policy.
package enum PolicyDirectory {
  package static let defaultPath = "/etc/kist/policy.d"

  /// Reads and checks all the files; names of users and groups are looked up in `accounts`.
  ///
  /// Names that start with a dot or do not end in `.toml`, such as editors' backup files, are
  /// ignored.
  ///
  /// - Parameter user: a user who may change them besides root and this process's user.
  package static func load(
    _ directory: String, accounts: Accounts = .system, changedBy user: UInt32? = nil
  ) throws(ConfigurationError) -> Policy {
    try locate(directory, accounts: accounts, changedBy: user).policy
  }

  /// The same with the place of every grant.
  package static func locate(
    _ directory: String, accounts: Accounts = .system, changedBy user: UInt32? = nil
  ) throws(ConfigurationError) -> LocatedPolicy {
    do throws(ConfigurationErrors) {
      return try check(directory, accounts: accounts, changedBy: user)
    } catch { throw error.first }
  }

  /// The same for the files' writer: reports all mistakes at once.
  package static func check(
    _ directory: String, accounts: Accounts = .system, changedBy user: UInt32? = nil
  ) throws(ConfigurationErrors) -> LocatedPolicy {
    var mistakes = Mistakes()
    let names = mistakes.attempt(try names(in: directory, changedBy: user)) ?? []
    var sources: [Source] = []
    for name in names {
      let path = directory.hasSuffix("/") ? directory + name : directory + "/" + name
      if let found = mistakes.attempt(try source(path, changedBy: user)) { sources.append(found) }
    }
    return try check(sources, accounts: accounts, mistakes)
  }

  private static func names(in directory: String, changedBy user: UInt32?)
    throws(ConfigurationError) -> [String]
  {
    try TrustedPath.check(directory, changedBy: user)
    return try TextFile.names(in: directory, suffix: ".toml")
  }

  private static func source(_ path: String, changedBy user: UInt32?) throws(ConfigurationError)
    -> Source
  {
    try TrustedPath.check(path, changedBy: user)
    return Source(file: path, text: try TextFile.read(path))
  }

  /// The text of a file, and its name in errors.
  package struct Source: Sendable {
    package let file: String
    package let text: [UInt8]

    package init(file: String, text: [UInt8]) {
      self.file = file
      self.text = text
    }
  }

  /// The policy of files that are already in order.
  package static func locate(_ files: [Source], accounts: Accounts) throws(ConfigurationError)
    -> LocatedPolicy
  {
    do throws(ConfigurationErrors) { return try check(files, accounts: accounts, Mistakes()) } catch
    { throw error.first }
  }

  private static func check(_ files: [Source], accounts: Accounts, _ found: Mistakes)
    throws(ConfigurationErrors) -> LocatedPolicy
  {
    var mistakes = found
    var located: [PolicyFile.Located] = []
    for source in files {
      located += PolicyFile.decode(source.text, file: source.file, accounts: accounts, &mistakes)
    }
    let places = located.map { LocatedPolicy.Place(file: $0.id.file, position: $0.id.position) }
    var policy = Policy.empty
    do throws(PolicyError) { policy = try Policy(located.map(\.rule)) } catch {
      switch error {
      case .duplicate(let first, let second):
        let message =
          "'id' is \"\(located[first].rule.id)\" as at \(places[first]); expected an id of its own"
        mistakes.add([located[second].id.error(message)])
      }
    }
    try mistakes.end()
    return LocatedPolicy(policy: policy, places: places)
  }
}

/// A policy and the place of each of its grants.
package struct LocatedPolicy: Sendable {
  /// The place of a grant's id.
  package struct Place: Hashable, Sendable {
    package let file: String
    package let position: SourcePosition
  }

  package let policy: Policy
  /// One for each rule, in order.
  package let places: [Place]
}

extension LocatedPolicy.Place: CustomStringConvertible {
  /// `FILE:LINE`.
  package var description: String { "\(file):\(position.line)" }
}
