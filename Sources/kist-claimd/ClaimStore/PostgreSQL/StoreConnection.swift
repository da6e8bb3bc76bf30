import CPostgreSQL
import Format

/// How to connect: libpq's connection string, of which what weakens the connection is refused.
struct StoreConnection: Sendable, Hashable {
  private let text: String
  /// `host`, `hostaddr` and `port`, each with a part for each of several servers.
  private let places: [ConnectionOption]
  private let passwordFile: String?

  enum Mistake: Error, Hashable {
    /// In the library's words.
    case unreadable(String)
    /// Passwords do not belong into a file that many may read.
    case password
    /// An `sslmode` below `verify-full`.
    case weakTLS
    /// An option that this program sets itself.
    case taken(String)
  }

  /// - Parameter passwordFile: in the form of `~/.pgpass`.
  init(_ text: String, passwordFile: String? = nil) throws(Mistake) {
    let given = try Self.parse(text)
    var places: [ConnectionOption] = []
    for option in given {
      switch option.keyword {
      case "password", "passfile": throw .password
      case "sslmode": guard option.value == "verify-full" else { throw .weakTLS }
      case "options", "target_session_attrs", "application_name", "client_encoding", "replication":
        throw .taken(option.keyword)
      case "host", "hostaddr", "port": places.append(option)
      default: break
      }
    }
    self.text = text
    self.places = places
    self.passwordFile = passwordFile
  }

  /// - Parameter attempt: each tries another server first, so that one that swallows packets does
  ///   not keep us from the others.
  func options(attempt: Int, application: String) -> [ConnectionOption] {
    var options = [
      ConnectionOption("dbname", text), ConnectionOption("application_name", application),
      ConnectionOption("sslmode", "verify-full"),
      ConnectionOption("gssencmode", "disable"), ConnectionOption("client_encoding", "UTF8"),
      ConnectionOption("target_session_attrs", "read-write"),
      ConnectionOption("options", Self.session.map { "-c \($0)=\($1)" }.joined(separator: " ")),
    ]
    if let passwordFile { options.append(ConnectionOption("passfile", passwordFile)) }
    return options + places.map { $0.rotated(by: attempt) }
  }

  private static let session = [
    // So that the server soon notices that we are gone, and frees the host's name.
    ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"), ("tcp_keepalives_count", "3"),
    ("client_connection_check_interval", "1000"),
    // Few rows by primary key, whatever the statistics of a new partition say.
    ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
  ]

  private static func parse(_ text: String) throws(Mistake) -> [ConnectionOption] {
    var message: UnsafeMutablePointer<CChar>?
    guard let all = unsafe PQconninfoParse(text, &message) else {
      defer { unsafe PQfreemem(message) }
      throw .unreadable(
        Printable.line(unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"))
    }
    defer { unsafe PQconninfoFree(all) }
    var given: [ConnectionOption] = []
    var next = unsafe all
    while let keyword = unsafe next.pointee.keyword {
      if let value = unsafe next.pointee.val {
        unsafe given.append(ConnectionOption(String(cString: keyword), String(cString: value)))
      }
      unsafe next = next.advanced(by: 1)
    }
    return given
  }
}

struct ConnectionOption: Hashable, Sendable {
  let keyword, value: String

  init(_ keyword: String, _ value: String) {
    self.keyword = keyword
    self.value = value
  }

  func rotated(by count: Int) -> ConnectionOption {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
    let first = count % parts.count
    return ConnectionOption(keyword, (parts[first...] + parts[..<first]).joined(separator: ","))
  }
}

extension StoreConnection.Mistake: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreadable(let text): "no connection string of libpq: \(text)"
    case .password:
      "no password may stand here; put it into a password file and name its credential"
    case .weakTLS: "sslmode is to be verify-full, which it is if nothing is said"
    case .taken(let keyword): "'\(keyword)' is not for the configuration to say"
    }
  }
}

struct PostgreSQLSettings: Sendable, Hashable {
  let connection: StoreConnection
  /// Whether the store must have a synchronous standby [FLEET-STORE-6].
  let wantsStandby: Bool
  let connectNanoseconds, answerNanoseconds: Int64

  init(
    _ connection: StoreConnection, wantsStandby: Bool, connectNanoseconds: Int64,
    answerNanoseconds: Int64
  ) {
    self.connection = connection
    self.wantsStandby = wantsStandby
    self.connectNanoseconds = connectNanoseconds
    self.answerNanoseconds = answerNanoseconds
  }
}
