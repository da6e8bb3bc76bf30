import Configuration

/// `/etc/kist-claimd/claimd.toml`.
struct ClaimdConfiguration: Sendable {
  /// `claims.sock` of `kistd`.
  let socket: String
  let store: PostgreSQLSettings
  let partitions: PartitionSettings?
  let statusFile: String

  static let defaultPath = "/etc/kist-claimd/claimd.toml"

  /// - Parameter credentials: the directory of the unit's credentials, if there is one.
  static func load(_ path: String, credentials: String?) throws(ConfigurationError)
    -> ClaimdConfiguration
  {
    try TrustedPath.check(path)
    return try decode(try TextFile.read(path), file: path, credentials: credentials)
  }

  static func decode(_ text: [UInt8], file: String, credentials: String?) throws(ConfigurationError)
    -> ClaimdConfiguration
  {
    try TOMLDocument.decode(text, file: file) { table throws(ConfigurationError) in
      ClaimdConfiguration(
        socket: try table.section("kistd") { section throws(ConfigurationError) in
          try section.optional("socket")?.path() ?? "/run/kist/claims.sock"
        },
        store: try table.required("store", "a table with a connection").decodeTable {
          section throws(ConfigurationError) in
          try PostgreSQLSettings(section, credentials)
        },
        partitions: try table.optional("partitions")?.decodeTable {
          section throws(ConfigurationError) in try PartitionSettings(section, credentials)
        },
        statusFile: try table.section("status") { section throws(ConfigurationError) in
          try section.optional("file")?.path() ?? "/run/kist-claimd/status.json"
        }
      )
    }
  }
}

/// `[partitions]`: who makes them, and for which days.
struct PartitionSettings: Sendable {
  let connection: StoreConnection
  /// In days.
  let ahead, keep: Int

  fileprivate init(_ table: TOMLTable, _ credentials: String?) throws(ConfigurationError) {
    connection = try StoreConnection(table, credentials)
    ahead = try table.optional("ahead")?.integer(in: 1...90) ?? 7
    keep = try table.optional("keep")?.integer(in: 2...3650) ?? 35
  }
}

extension PostgreSQLSettings {
  fileprivate init(_ table: TOMLTable, _ credentials: String?) throws(ConfigurationError) {
    func nanoseconds(_ key: String, in range: ClosedRange<Duration>, _ usual: Duration)
      throws(ConfigurationError) -> Int64
    {
      let (seconds, attoseconds) = (try table.optional(key)?.duration(in: range) ?? usual)
        .components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
    self.init(
      try StoreConnection(table, credentials),
      wantsStandby: try table.optional("standby")?.boolean() ?? true,
      connectNanoseconds: try nanoseconds(
        "connect_timeout", in: .milliseconds(100)...(.seconds(60)), .seconds(3)),
      answerNanoseconds: try nanoseconds(
        "timeout", in: .milliseconds(20)...(.seconds(10)), .milliseconds(450)))
  }
}

extension StoreConnection {
  fileprivate init(_ table: TOMLTable, _ credentials: String?) throws(ConfigurationError) {
    let node = try table.required("connection", "a connection string of libpq")
    let credential = table.optional("credential")
    var passwordFile: String?
    if let credential {
      let name: String = try credential.text("the name of a credential of the unit") { text in
        text.isToken(count: 64, without: "/:") && text != "." && text != ".." ? text : nil
      }
      guard let credentials else {
        throw credential.error(
          "there is no CREDENTIALS_DIRECTORY: the unit must load '\(name)' (LoadCredential=)")
      }
      passwordFile = credentials + "/" + name
    }
    let text = try node.string()
    do throws(Mistake) { try self.init(text, passwordFile: passwordFile) } catch {
      throw node.error("'connection': \(error.description)")
    }
  }
}
