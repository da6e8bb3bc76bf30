import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// Hosts that share a merchant's key, the fleet's key and a store, each with a disk of its own.
struct FleetScene {
  let tokens: TokenScene
  let store: SimulatedClaims
  let start = TestService.start
  static let retryKey = [UInt8](repeating: 7, count: 16)
  static let codes = Array("12345678901234567890".utf8)

  init() throws {
    tokens = try TokenScene()
    store = SimulatedClaims(tokens.clock)
  }

  /// A host, and the timers that it has set.
  struct Host {
    let service: TestService
    let timers: Timers
    let reports: Locked<[String]>
  }

  /// What services ask to be run later, which runs when the test says so.
  final class Timers: Sendable {
    private let actions = Locked<[@Sendable () -> Void]>([])

    func add(_ nanoseconds: Int64, _ action: @escaping @Sendable () -> Void) {
      if nanoseconds == 5_000_000_000 { actions.withLock { $0.append(action) } }
    }

    var count: Int { actions.withLock { $0.count } }

    /// Runs those that are set now.
    func run() {
      let due = actions.withLock { actions in
        defer { actions = [] }
        return actions
      }
      for action in due { action() }
    }
  }

  func host(
    _ name: String, on disk: SimulatedDisk? = nil, grant: Rule? = nil, opensLocally: Bool = false,
    homeKeys: Set<String> = [], hasKey: Bool = true,
    claimKey: ClosedRange<UInt8> = 0...31, fleet other: Fleet? = nil
  ) throws -> Host {
    let timers = Timers()
    let reports = Locked<[String]>([])
    let fleet =
      try other
      ?? Fleet(
        host: name, key: try #require(KeyLabel("fleet/claims")), homeKeys: homeKeys,
        store: store.line(try #require(HostName(name))))
    let service = try tokens.service(
      on: disk, grants: [try grant ?? Self.grant()],
      opensLocally: opensLocally ? [TokenScene.merchant] : [],
      keys: { try Self.take(into: $0, hasKey ? Array(claimKey) : nil) },
      adjust: { settings in
        settings.fleet = fleet
        settings.after = { timers.add($0, $1) }
        settings.report = { event in
          if case .duplicateOpening(_, let opening, let host) = event {
            reports.withLock { $0.append("\(opening) \(host)") }
          }
        }
      })
    try service.unlock()
    return Host(service: service, timers: timers, reports: reports)
  }

  static func grant(_ id: String = "openers", rate: String? = nil, quota: String? = nil) throws
    -> Rule
  {
    try Rule(
      id: id, callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.openPaymentToken, .signOTP, .verifyOTP, .enrolAuthenticator, .metrics],
      keys: [KeyPattern("merchant/*"), KeyPattern("codes/*")].compactMap { $0 },
      released: ReleasedFields([.last4, .amount]), showsStage: true,
      rate: rate.flatMap(Rate.init),
      quota: Quota(quota ?? "1000000000/d"))
  }

  func request(retryKey: [UInt8] = [], amount: UInt64? = nil) throws -> [UInt8] {
    try tokens.request(signedAt: start, amount: amount, retryKey: retryKey)
  }

  /// `ok`, a status or the stage of a rejection.
  func open(_ request: [UInt8], _ host: Host) throws -> String {
    try tokens.open(request, host.service)
  }

  private static func take(into store: KeyStore, _ claimKey: [UInt8]?) throws {
    let step = OTPCode(step: 30, window: 1, failures: 3)
    let rows: [(label: String, role: KeyRole, bytes: [UInt8], otp: OTPAttributes?)] = [
      ("fleet/claims", .fleet, claimKey ?? codes, nil),
      ("codes/totp", .otpTOTP, codes, step.map { .code($0) }),
      ("codes/hotp", .otpHOTP, codes, OTPCode(step: nil, window: 3).map { .code($0) }),
    ]
    for row in rows where claimKey != nil || row.role != .fleet {
      let label = try #require(KeyLabel(row.label))
      let key = KeyImport(
        label: label, role: row.role,
        material: try KeyMaterial(keyData: row.bytes.span, for: row.role), otp: row.otp)
      _ = try store.importKey(key, at: TestService.start, anchor: .beginning)
    }
  }
}

extension FleetScene.Host {
  /// The records of openings that were answered `ok`.
  func openings() throws -> [Record] {
    try service.records().filter { $0.opcode == .openPaymentToken && $0.status == .ok }
  }

  func afterCrash() -> SimulatedDisk { service.disk.afterCrash(.losesUnsynced) }

  func key(_ label: String) throws -> KeyID {
    try service.reopenedStore { store in
      try #require(store.records.first { $0.label.text == label }).id
    }
  }
}
