import Audit
import Crypto
import Format
import Host
import Policy
import Review
import TestSupport
import Testing

/// A log on a simulated disk, its key, and what goes into it.
struct TestLog: Sendable {
  let disk: SimulatedDisk
  let signer: NoteSigner
  var settings: AuditSettings

  static let path = "/log"
  static let origin = "kist.test/audit"

  init(segmentLimit: Int = 64 << 20, seed: UInt8 = 7) throws {
    try #require(TestArena.ready)
    disk = SimulatedDisk()
    try disk.makeDirectory(Self.path, mode: 0o700)
    try disk.syncDirectory("/")
    signer = try Self.signer(seed: seed)
    let boot = try #require(BootID("0123456789abcdef0123456789abcdef"))
    settings = AuditSettings(boot: boot, clock: { Timestamp(seconds: 1_800_000_000) })
    settings.segmentLimit = segmentLimit
    settings.allocation = 2048
  }

  private init(_ disk: SimulatedDisk, _ other: TestLog) {
    self.disk = disk
    signer = other.signer
    settings = other.settings
  }

  static func signer(name: String = origin, seed: UInt8) throws -> NoteSigner {
    let seed = [UInt8](repeating: seed, count: 32)
    return try NoteSigner(name: name, key: PrivateKey(ed25519Seed: seed.span))
  }

  /// The same log on another disk.
  func on(_ disk: SimulatedDisk) -> TestLog { TestLog(disk, self) }

  /// The same log on the disk as a crash leaves it.
  func afterCrash(_ crash: SimulatedDisk.Crash) -> TestLog { on(disk.afterCrash(crash)) }

  /// An independent copy of what is there now.
  func copy() -> TestLog { afterCrash(.keepsUnsynced) }

  var directory: LogDirectory { LogDirectory(Self.path, on: disk) }

  func open(anchor: TreeHead? = nil) throws(AuditError) -> AuditLog {
    try AuditLog(directory, signer: signer, start: Self.start, settings: settings, anchor: anchor)
  }

  func verify(anchor: TreeHead? = nil, _ signatures: SignatureScope = .last) -> Verification {
    LogVerifier(signer.verifier, anchor: anchor, signatures: signatures).verify(directory)
  }

  /// All lines of all segments, by name.
  func segments() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try disk.list(Self.path) where name.hasSuffix(".log") {
      found[name] = disk.contents(Self.path + "/" + name)
    }
    return found
  }

  func operations() throws -> [String] {
    var names: [String] = []
    try directoryReader.forEachRecord { record, _ in
      names.append(record.operation)
      return true
    }
    return names
  }

  /// The request numbers in the log, ascending by sequence.
  func requests() throws -> [UInt64] {
    var numbers: [UInt64] = []
    try directoryReader.forEachRecord { record, _ in
      if let request = record.request { numbers.append(request) }
      return true
    }
    return numbers
  }

  private var directoryReader: LogReader { LogReader(directory) }

  static let start = StartFacts(policy: SHA256.hash([1]), configuration: SHA256.hash([2]))
  static let caller = Caller(
    uid: 1000, gid: 100, pid: 4242, unit: "shop.service", executable: "/usr/bin/shop")
  static let policy = SHA256.hash([1])
}

extension Batch {
  /// Denied requests of those numbers.
  init(requests: UInt64...) {
    self.init()
    for number in requests { add(.denied(number)) }
  }
}

extension Attempt {
  static func denied(_ number: UInt64) -> Attempt {
    Attempt(
      RequestFacts(
        .known(.openPaymentToken), id: number, caller: TestLog.caller, policy: TestLog.policy),
      denied: .noGrant)
  }
}

extension Grant {
  /// A grant as policy makes it.
  static func opening(_ key: KeyTarget) throws -> Grant {
    let rule = try Rule(
      id: "shop", callers: CallerRule(users: [Principal(id: 1000)]),
      operations: [.openPaymentToken],
      keys: [try #require(KeyPattern(key.label))], released: ReleasedFields([.last4, .network]))
    return try of(rule, TestLog.caller, .openPaymentToken, .known(key))
  }

  static func of(_ rule: Rule, _ caller: Caller, _ opcode: Opcode, _ key: NamedKey = .none) throws
    -> Grant
  {
    let covering = try Policy([rule]).covering(caller, opcode, key: key)
    let decision = covering.decide(
      at: Moment(Timestamp(seconds: 0), MonotonicTime(nanoseconds: 0)), limits: UseLimits())
    switch consume decision {
    case .allow(let grant): return grant
    case .deny: throw TestFailure()
    }
  }
}

struct TestFailure: Error {}
