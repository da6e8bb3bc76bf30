import Format

/// All that is ever asked of the server; each is prepared once for a connection.
enum Query {
  case begin, commit, rollback
  case settings, name
  case useKey, insert, mark, read, lastWrites
  case partitions

  /// Those that claims take.
  static let ofClaims: [Query] = [
    .begin, .commit, .rollback, .settings, .name, .useKey, .insert, .mark, .read, .lastWrites,
  ]

  /// What is said of a row; its age is in milliseconds.
  private static let stored =
    "day::bigint, claim, host, run, retry, greatest(0, (extract(epoch FROM clock_timestamp() - at) * 1000)::bigint)"

  var text: String {
    switch self {
    case .begin: "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .settings:
      """
      SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), pg_is_in_recovery(),
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint
      """
    // Held by the session.
    case .name: "SELECT pg_try_advisory_lock(hashtextextended('kist ' || $1, 0))"
    // Refuses the transaction unless it is the store's.
    case .useKey: "SELECT kist.use_key($1)"
    case .insert:
      """
      INSERT INTO kist.claim (day, claim, host, retry, id, run)
      SELECT day, claim, $4, retry, $5, $6 FROM unnest($1, $2, $3) WITH ORDINALITY AS asked (day, claim, retry, place) ORDER BY place
      ON CONFLICT (day, claim) DO NOTHING RETURNING \(Self.stored)
      """
    case .mark:
      "INSERT INTO kist.claim (day, claim, host, retry, id, run) VALUES ($1, $2, $3, $4, $5, $6)"
    // Not a join with the two lists: a plan for that makes ready to look into the partitions of all
    // days.
    case .read: "SELECT \(Self.stored) FROM kist.claim WHERE day = ANY ($1) AND claim = ANY ($2)"
    case .lastWrites:
      """
      SELECT host, greatest(0, (extract(epoch FROM clock_timestamp() - max(at)) * 1000)::bigint)
      FROM kist.claim WHERE day BETWEEN $1 - 1 AND $1 + 1 AND at > clock_timestamp() - interval '1 minute' GROUP BY host LIMIT 1000
      """
    case .partitions: "SELECT made::bigint, dropped::bigint FROM kist.make_partitions($1, $2)"
    }
  }

  /// Of the values.
  var types: [UInt32] {
    let days = BinaryValue.integerArray
    let digests = BinaryValue.byteaArray
    switch self {
    case .begin, .commit, .rollback, .settings: return []
    case .lastWrites: return [BinaryValue.integer]
    case .name: return [BinaryValue.text]
    case .useKey: return [BinaryValue.bytea]
    case .insert:
      return [days, digests, digests, BinaryValue.text, BinaryValue.bytea, BinaryValue.bigInteger]
    case .mark:
      return [
        BinaryValue.integer, BinaryValue.bytea, BinaryValue.text, BinaryValue.bytea,
        BinaryValue.bytea, BinaryValue.bigInteger,
      ]
    case .read: return [days, digests]
    case .partitions: return [BinaryValue.integer, BinaryValue.integer]
    }
  }
}

/// A statement with values in binary, or one that is prepared for later.
struct Statement {
  enum Kind {
    case prepare(String, types: [UInt32])
    case run([[UInt8]])
  }

  let name: String
  let kind: Kind

  static func prepare(_ query: Query) -> Statement {
    Statement(name: "\(query)", kind: .prepare(query.text, types: query.types))
  }
  static func run(_ query: Query, _ values: [[UInt8]] = []) -> Statement {
    Statement(name: "\(query)", kind: .run(values))
  }
}

/// Values as the server reads them in binary.
enum BinaryValue {
  /// Numbers of types.
  static let (bytea, bigInteger, integer, text, byteaArray, integerArray):
    (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (17, 20, 23, 25, 1001, 1007)

  static func array(_ values: [[UInt8]], of type: UInt32) -> [UInt8] {
    // Dimensions, no NULLs, type, length, first index.
    var bytes = [1, 0, type, UInt32(values.count), 1].flatMap { $0.bigEndianBytes }
    for value in values { bytes += UInt32(value.count).bigEndianBytes + value }
    return bytes
  }

  static func days(_ claims: [Claim]) -> [UInt8] {
    array(claims.map { $0.day.bigEndianBytes }, of: integer)
  }
  static func digests(_ claims: [Claim]) -> [UInt8] {
    array(claims.map { $0.digest.bytes }, of: bytea)
  }
  static func retryDigests(_ claims: [Claim]) -> [UInt8] {
    array(claims.map { $0.retryDigest.bytes }, of: bytea)
  }
}
