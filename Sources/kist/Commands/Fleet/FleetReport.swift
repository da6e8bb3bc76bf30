import Format
import KistClient

/// How one host is in its fleet: what `kist fleet status --json` prints and `kist fleet check`
/// compares.
struct FleetReport: Hashable {
  let host: String
  /// The label of the key under which it claims.
  let claimsKey: String
  /// SHA-256 of the policy in force, 64 digits.
  let policy: String
  /// Whether the store is there.
  let isStoreThere: Bool
  let counts: [Count: UInt64]
  /// Those that the hosts of a fleet have in common.
  let keys: [SharedKey]

  /// What the daemon has counted since its start; the last is how many there are now.
  enum Count: String, CaseIterable {
    case refused, unanswered, duplicates, local

    fileprivate var metric: Metric {
      switch self {
      case .refused: .claimsRefused
      case .unanswered: .claimsUnanswered
      case .duplicates: .duplicateOpenings
      case .local: .localOpenings
      }
    }

    fileprivate var meaning: String {
      switch self {
      case .refused: "tokens refused that others have"
      case .unanswered: "batches without an answer"
      case .duplicates: "tokens opened twice"
      case .local: "openings to be claimed"
      }
    }
  }

  struct SharedKey: Hashable {
    let label, role, state, check: String
  }

  /// - Parameter metrics: what the daemon has counted; nil is returned unless it is a host in a
  ///   fleet.
  init?(_ status: StatusReport, _ metrics: MetricsReply, _ keys: [Key]) {
    func value(_ metric: Metric) -> UInt64? { metrics.figures.first { $0.metric == metric }?.value }
    guard let labels = metrics.figures.first(where: { $0.metric == .fleetInfo })?.labels,
      labels.count == 2, let away = value(.claimsAway)
    else { return nil }
    host = labels[0]
    claimsKey = labels[1]
    policy = Hex.encode(status.policyHash)
    isStoreThere = away == 0
    counts = Dictionary(uniqueKeysWithValues: Count.allCases.map { ($0, value($0.metric) ?? 0) })
    self.keys = keys.filter { Self.roles.contains($0.role) }.map {
      SharedKey(label: $0.label, role: $0.role, state: $0.state, check: $0.checkText)
    }
  }

  /// Why a daemon has none.
  static func absence(of status: StatusReport) -> String {
    status.state == "serving"
      ? "this host is in no fleet: see [fleet] in kist.toml(5)"
      : "this host is \(status.state), and says how it is in a fleet only while it serves: see kist status"
  }

  private static let roles: Set<String> = [
    "fleet", "merchant-processing-ec", "merchant-processing-rsa", "otp-totp",
  ]

  var text: String {
    var table = Table(
      ["host", host],
      ["claims under", claimsKey],
      ["store", isStoreThere ? "there" : "AWAY"])
    table.add(Count.allCases.map { [$0.meaning, String(counts[$0, default: 0])] })
    table.add(["policy", policy])
    let shared = Table(
      [["LABEL", "ROLE", "STATE", "CHECK"]] + keys.map { [$0.label, $0.role, $0.state, $0.check] })
    return table.text + (keys.isEmpty ? "" : "\n" + shared.text)
  }

  var json: CanonicalJSON {
    let keys = keys.map { key -> CanonicalJSON in
      [
        "check": key.check, "label": key.label, "role": key.role, "state": key.state,
      ]
    }
    return [
      "claims_key": claimsKey, "host": host, "keys": keys, "policy": policy, "store": isStoreThere,
    ] + .object(Count.allCases.map { .init($0.rawValue, counts[$0, default: 0].jsonValue) })
  }

  /// Parses what `json` gives.
  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    host = try fields.string("host")
    policy = try fields.string("policy")
    claimsKey = try fields.string("claims_key")
    guard case .bool(let isThere) = try fields.required("store"),
      case .array(let elements) = try fields.required("keys")
    else { throw .schema }
    isStoreThere = isThere
    var counts: [Count: UInt64] = [:]
    for count in Count.allCases {
      counts[count] = UInt64(clamping: try fields.integer(count.rawValue))
    }
    var keys: [SharedKey] = []
    for element in elements { keys.append(try SharedKey(element)) }
    self.counts = counts
    self.keys = keys
    try fields.end()
  }
}

extension FleetReport.SharedKey {
  fileprivate init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    label = try fields.string("label")
    role = try fields.string("role")
    state = try fields.string("state")
    check = try fields.string("check")
    try fields.end()
  }
}
