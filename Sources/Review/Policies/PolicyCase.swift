package import Configuration
package import Format
package import Policy

/// One `[[case]]` of a policy's own tests: a request and the expected decision.
package struct PolicyCase: Sendable {
  package enum Expectation: Hashable, Sendable {
    /// Allowed by this grant, and releasing exactly these names, if given.
    case allowed(grant: String, released: [String]?)
    case denied
  }

  /// The case's name in the file, or what it asks.
  package let name: String
  package let question: Question
  package let expectation: Expectation
  package let file: String
  package let position: SourcePosition

  /// The cases of a file, in order.
  ///
  /// - Parameter now: the time of cases that give none.
  package static func decode(
    _ text: [UInt8], file: String, accounts: Accounts, now: Timestamp
  ) throws(ConfigurationError) -> [PolicyCase] {
    try TOMLDocument.decode(text, file: file) { root throws(ConfigurationError) in
      try root.sections("case") { table throws(ConfigurationError) in
        try PolicyCase(table, accounts, now)
      }
    }
  }

  /// nil if the policy decides as the case says, else what it does instead.
  package func complaint(about policy: Policy) -> String? {
    let answer = policy.answer(question)
    switch (expectation, answer) {
    case (.denied, .denied): return nil
    case (.denied, .allowed(let grant, _)): return "expected denied, is allowed by grant \(grant)"
    case (.allowed(let grant, _), .denied(let denial)):
      return "expected grant \(grant), is denied: \(denial.sentence)"
    case (.allowed(let expected, let released), .allowed(let grant, let terms)):
      guard grant == expected else {
        return "expected grant \(expected), is allowed by grant \(grant)"
      }
      guard let released, Set(released) != Set(terms.released) else { return nil }
      return "expected to release \(Self.listed(released)), releases \(Self.listed(terms.released))"
    }
  }

  private static func listed(_ names: [String]) -> String {
    names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}

extension PolicyCase {
  private init(_ table: TOMLTable, _ accounts: Accounts, _ now: Timestamp)
    throws(ConfigurationError)
  {
    // If a key is misspelt, another is missing because of that, so all keys are looked up first.
    for key in [
      "name", "user", "groups", "unit", "executable", "operation", "key", "at", "grant", "denied",
      "release",
    ] { _ = table.optional(key) }
    try table.finish()
    let user = try table.required("user", "the caller's user, by name or number").user(accounts)
    var groups = try table.list("groups", "groups") { node throws(ConfigurationError) in
      try node.group(accounts).id
    }
    if groups.isEmpty {
      groups = (user.name ?? accounts.userName(user.id)).flatMap { accounts.groups($0) } ?? []
    }
    guard let primary = groups.first else {
      throw table.error(
        "the groups of user \(user) are not known; expected 'groups', the primary one first")
    }
    let caller = Caller(
      uid: user.id, gid: primary, groups: Array(groups.dropFirst()), pid: 0,
      unit: try table.optional("unit")?.string(),
      executable: try table.optional("executable")?.string())
    let opcode = try table.required("operation", "the operation that is asked for").operation()
    let time = try table.optional("at")?.moment() ?? now
    question = Question(caller, opcode, label: try table.optional("key")?.string(), at: time)
    expectation = try Self.expectation(table)
    name =
      try table.optional("name")?.string()
      ?? "\(opcode.name)\(question.label.map { " with \($0)" } ?? "") for user \(user)"
    file = table.node.file
    position = table.node.position
  }

  private static func expectation(_ table: TOMLTable) throws(ConfigurationError) -> Expectation {
    let released = try table.optional("release").map { node throws(ConfigurationError) in
      var names: [String] = []
      for element in try node.array("fields") { names.append(try element.string()) }
      return names
    }
    switch (table.optional("grant"), table.optional("denied")) {
    case (let grant?, nil): return .allowed(grant: try grant.string(), released: released)
    case (nil, let denied?):
      guard try denied.boolean() else {
        throw denied.unfit("false", "true, or 'grant' in its place")
      }
      guard let release = table.optional("release") else { return .denied }
      throw release.error("'release' goes with 'grant'; expected none where the case is denied")
    case (nil, nil):
      throw table.error("the case expects nothing; expected 'grant' or 'denied = true'")
    case (.some, .some):
      throw table.error("the case expects two things; expected one of 'grant' and 'denied'")
    }
  }
}
