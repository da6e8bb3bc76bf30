import ApplePay
package import Audit
import Ceremony
import Crypto
package import Format
package import Host
package import KeyStore
import KistClient
package import Operations
package import Policy
package import Service
import Synchronization
package import TestSupport

/// A service in this process, on a disk that can fail and a clock that the test turns.
package final class TestService: Sendable {
  package let disk: SimulatedDisk
  package let service: Service
  package let clock: TestClock

  package static let start = Timestamp(seconds: 1_750_000_000)
  package static let caller = Caller(uid: 1000, gid: 1000, pid: 1)
  package static let kek: [UInt8] = (0..<32).map { UInt8($0) }

  /// - Parameters:
  ///   - disk: nil for a new key store and an empty log.
  ///   - grants: nil grants the caller everything.
  ///   - standInKeys: which keys make surrogates and envelopes of opened tokens.
  ///   - prepare: puts keys into the store.
  ///   - adjust: changes what the service is told at start.
  package init(
    on disk: SimulatedDisk? = nil, grants: [Rule]? = nil, standInKeys: StandInKeys = StandInKeys(),
    retryWindow: UInt32 = 120,
    opensLocally: Set<String> = [], clock: TestClock = TestClock(), segmentSize: Int = 1 << 20,
    manifestLimit: Int = StoreFile.manifest.limit, prepare: ((KeyStore) throws -> Void)? = nil,
    adjust: (inout ServiceSettings) -> Void = { _ in }
  ) throws {
    guard TestArena.ready else { throw SecretMemoryError.exhausted }
    self.clock = clock
    self.disk = try disk ?? Self.newDisk()
    if let prepare {
      try prepare(
        LockedKeyStore.open("/state/keys", on: self.disk).unlock(
          kek: Self.secret(Self.kek), expecting: .rehearsal))
    }
    let store = try LockedKeyStore.open("/state/keys", on: self.disk, manifestLimit: manifestLimit)
    var log = AuditSettings(boot: try Self.boot(), clock: { clock.now })
    (log.segmentLimit, log.allocation, log.reserve) = (
      segmentSize, min(log.allocation, segmentSize), 1 << 16
    )
    var settings = ServiceSettings(
      Self.configuration, anchor: try TrustAnchor.appleRootCAG3(), merchantIssuers: try .apple(),
      log: LogDirectory("/audit", on: self.disk), audit: log,
      state: StateDirectory("/state", on: self.disk),
      clock: { clock.now }, monotonicClock: { MonotonicTime(nanoseconds: clock.sinceStart * 1000) },
      connectionCount: { 0 },
      describeProcess: { _ in }, report: { _ in })
    adjust(&settings)
    service = Service(
      store,
      rules: try Self.rules(
        grants ?? [Self.everything()], standInKeys, retryWindow: retryWindow, opensLocally),
      settings: settings)
  }

  /// Of a rehearsal in which nobody is limited.
  private static var configuration: DaemonConfiguration {
    var configuration = DaemonConfiguration()
    configuration.sandbox = SandboxConfiguration()
    configuration.audit.origin = "test"
    configuration.applePay.replayEntries = 1024
    configuration.limits.inFlight = 32
    configuration.limits.handles = 16
    configuration.limits.handleTimeout = .seconds(60)
    configuration.limits.refusals = Rate(1_000_000_000, per: .second)
    configuration.shareWindow = .seconds(900)
    configuration.operators.approvalTime = .seconds(900)
    configuration.provisioning.checksValidity = true
    return configuration
  }

  package static func rules(
    _ grants: [Rule], _ standInKeys: StandInKeys = StandInKeys(), retryWindow: UInt32 = 120,
    _ opensLocally: Set<String> = []
  ) throws -> Rules {
    Rules(
      try Policy(grants), freshness: MerchantWindows(general: 300),
      retry: MerchantWindows(general: retryWindow), standInKeys: standInKeys,
      opensLocally: opensLocally, configurationHash: SHA256.hash([]))
  }

  package func unlock(kek: [UInt8] = kek) throws {
    try service.unlock(credential: Self.secret(kek))
  }

  /// The reply to one request: its header and its body.
  package func call(
    _ opcode: Opcode, key: KeyID = .none, body: [UInt8] = [], from caller: Caller = caller,
    on socket: SocketKind = .services,
    handles: HandleTable = .none, memory: ConnectionMemory = ConnectionMemory(),
    asksWait: Bool = false
  ) throws -> (header: ReplyHeader, body: [UInt8]) {
    var exchange = try service.exchange(with: caller, on: socket, handles: handles, memory: memory)
    let bytes = Self.frame(opcode, key: key, body: body, asksWait: asksWait)
    let span = bytes.span
    try exchange.claim(span)
    try exchange.serve(span)
    return try Self.reply(exchange.replies())
  }

  /// Has a key made, as an operator does.
  ///
  /// - Throws: `UnexpectedReply` if the request is refused.
  package func generateKey(
    _ label: String, _ role: String = "mac-cmac",
    _ adjust: (inout GenerateKeyRequest) -> Void = { _ in }
  ) throws -> KeyID {
    var request = GenerateKeyRequest(label: label, role: role)
    adjust(&request)
    let reply = try call(
      .generateKey, body: written(atMost: 1024) { try request.encode(into: &$0) }, on: .operators)
    guard reply.header.status == .ok else { throw UnexpectedReply(status: reply.header.status) }
    let id = try KeyDescription(MessageReader(reply.body.span)).id
    guard let key = KeyID(prefixOf: id.span) else {
      throw UnexpectedReply(status: reply.header.status)
    }
    return key
  }

  /// The reply to a MAC over three bytes with that key: a use of it.
  package func mac(_ key: KeyID) throws -> (header: ReplyHeader, body: [UInt8]) {
    try call(.mac, key: key, body: Self.macBody())
  }

  /// The body of a request for a MAC over three bytes.
  package static func macBody() throws -> [UInt8] {
    try written(atMost: 64) {
      let (none, message): ([UInt8], [UInt8]) = ([], [1, 2, 3])
      var request = MACRequest()
      request.handle = none.span
      request.message = message.span
      try request.encode(into: &$0)
    }
  }

  /// One request's header and body.
  package static func frame(
    _ opcode: Opcode, key: KeyID = .none, body: [UInt8] = [], asksWait: Bool = false
  ) -> [UInt8] {
    var frame = [UInt8](
      repeating: 0, count: RequestHeader.lengthByteCount + RequestHeader.byteCount)
    var span = frame.mutableSpan
    RequestHeader(opcode: opcode.rawValue, requestID: 7, key: key, asksWait: asksWait).encode(
      bodyCount: body.count, into: &span)
    return Array(frame.dropFirst(RequestHeader.lengthByteCount)) + body
  }

  /// The only one of these replies.
  package static func reply(_ replies: borrowing Replies) throws -> (
    header: ReplyHeader, body: [UInt8]
  ) {
    let sent = replies.bytes.array
    let reply = sent.span.extracting(droppingFirst: RequestHeader.lengthByteCount)
    let header = try ReplyHeader(reply)
    return (header, Array(sent.dropFirst(RequestHeader.lengthByteCount + ReplyHeader.byteCount)))
  }

  package func status(
    _ opcode: Opcode, body: [UInt8] = [], from caller: Caller = caller,
    on socket: SocketKind = .services
  ) throws -> Status {
    try call(opcode, body: body, from: caller, on: socket).header.status
  }

  package func lastRecord() throws -> Record? {
    var last: Record?
    try LogReader(LogDirectory("/audit", on: disk)).forEachRecord { record, _ in
      last = record
      return true
    }
    return last
  }

  package func records() throws -> [Record] {
    var records: [Record] = []
    try LogReader(LogDirectory("/audit", on: disk)).forEachRecord { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  /// The operations on the record, in order.
  package func operations() throws -> [String] { try records().map(\.operation) }

  /// What the next process would find in the key store.
  package func reopenedStore<R>(_ body: (KeyStore) throws -> R) throws -> R {
    try body(
      LockedKeyStore.open("/state/keys", on: disk.afterCrash(.losesUnsynced)).unlock(
        kek: Self.secret(Self.kek), expecting: .rehearsal))
  }

  package static func everything(_ operations: [Opcode] = Opcode.grantable) throws -> Rule {
    let opens = operations.contains(.openPaymentToken)
    return try Rule(
      id: "everything", callers: CallerRule(users: [Principal(id: caller.uid)]),
      operations: Set(operations),
      keys: [KeyPattern("merchant/*")].compactMap { $0 }, released: opens ? .nameable : [],
      sealed: opens ? .sealable : [], showsStage: true, rate: Rate(1_000_000, per: .second),
      quota: operations.contains(.auditDigest) ? Quota("1000000000/d") : nil)
  }

  /// A disk with a new key store, whose KEK is split if there are custodians.
  package static func newDisk(custodians: CustodianRegister? = nil) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    for path in ["/state", "/audit"] { try disk.makeDirectory(path, mode: 0o700) }
    try disk.syncDirectory("/")
    _ = try LockedKeyStore.create(
      "keys", in: "/state", kek: secret(kek), custodians: custodians, kind: .rehearsal, at: start,
      on: disk)
    return disk
  }

  private static func boot() throws -> BootID {
    guard let boot = BootID(String(repeating: "0", count: 32)) else {
      throw SecretMemoryError.exhausted
    }
    return boot
  }

  package static func secret(_ bytes: [UInt8]) throws -> SecretBuffer {
    let span = bytes.span
    return try SecretBuffer(copying: span)
  }
}

/// A service's answer with which a test cannot go on.
package struct UnexpectedReply: Error { package let status: Status }

/// A clock that stands until it is turned.
package final class TestClock: Sendable {
  package init() {}

  private let reading = Locked((now: TestService.start, steps: Int64(0)))

  /// Set later, so much time passes; set earlier, none does.
  package var now: Timestamp {
    get { reading.withLock { $0.now } }
    set {
      reading.withLock {
        $0.steps += min(0, newValue.microseconds - $0.now.microseconds)
        $0.now = newValue
      }
    }
  }

  /// Microseconds that have passed, whatever the clock was set to.
  package var sinceStart: Int64 { reading.withLock { $0.now.microseconds - $0.steps } }

  /// Sets the clock without letting time pass.
  package func step(seconds: Int64) {
    reading.withLock {
      $0.now = $0.now.adding(seconds: seconds)
      $0.steps += seconds * 1_000_000
    }
  }
}

extension RequestBatch {
  /// Serves a request, given its header and body without the length.
  package mutating func serve(_ frame: Span<UInt8>) throws {
    try serve(RequestHeader(frame), frame.extracting(droppingFirst: RequestHeader.byteCount))
  }

  /// Has the request claimed, as a connection does in a fleet before it has it served.
  package mutating func claim(_ frame: Span<UInt8>) throws {
    guard isInFleet else { return }
    look(try RequestHeader(frame), frame.extracting(droppingFirst: RequestHeader.byteCount))
    claim()
  }

  /// Commits, and waits for what may then leave.
  package consuming func replies() -> Replies {
    let handover = Handover<Replies>()
    commit { handover.give($0) }
    return handover.take()
  }
}
