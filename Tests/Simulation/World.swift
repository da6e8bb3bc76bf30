internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import Service
internal import ServiceHarness
internal import Storage
internal import TestSupport
internal import Wire

/// The real service on a simulated disk, with a clock that the acts turn; all in one thread.
final class World {
  private let scene: TokenScene
  private let timers = Timers()
  private var disk: SimulatedDisk
  private var service: TestService?
  private var tokens: [[UInt8]] = []
  private var codes: [[UInt8]] = []
  private var backups: [BackUpReply] = []
  /// The files of the state directory as they were after each start.
  private var snapshots: [[String: [UInt8]]] = []
  /// As they were before somebody tampered with them.
  private var untouched: [String: [UInt8]]?
  /// Sequences of durable records and the operations they are of.
  private var acknowledged: [UInt64: String] = [:]
  private let (limited, coded, working): (KeyID, KeyID, KeyID)
  /// How far the machine's clock is ahead of true time.
  private var offset: Int64 = 0

  private static let segmentSize = 1 << 13
  private static let stateFiles = ["audit.recollection", "audit.checkpoint"]
  private static let everyone = Caller(uid: 2000, gid: 2000, pid: 2)

  init(_ scene: TokenScene) throws {
    self.scene = scene
    scene.clock.now = TestService.start
    let first = try scene.service(grants: Self.grants(), segmentSize: Self.segmentSize, adjust: Self.adjust(timers))
    try first.unlock()
    (limited, coded, working) = (
      try first.generateKey("merchant/acme/limited", "mac-cmac") { $0.useLimit = UInt64(Model.useLimit) },
      try first.generateKey("merchant/acme/codes", "otp-hotp") {
        ($0.otp.digits, $0.otp.hash, $0.otp.window, $0.otp.failures, $0.otp.lockout) = (6, .sha256, 3, 10, 60)
      }, try first.generateKey("merchant/acme/working")
    )
    (disk, service) = (first.disk, first)
    snapshots.append(try files())
  }

  /// True time in seconds.
  var time: Int64 { clock - offset }
  /// The machine's clock, in seconds.
  var clock: Int64 { scene.clock.now.seconds }

  private static func grants() throws -> [Rule] {
    [
      // No quota: one whose records are lost counts as used up, and then refuses everything.
      try TestService.everything(Opcode.grantable.filter { $0 != .auditDigest }),
      try Rule(id: "daily", callers: CallerRule(users: [Principal(id: everyone.uid)]), operations: [.random], quota: Quota("\(Model.dailyQuota)/d")),
    ]
  }

  private static func adjust(_ timers: Timers) -> (inout ServiceSettings) -> Void {
    { settings in
      settings.backupDirectory = "/state"
      settings.after = { delay, action in timers.add(delay, action) }
    }
  }
}

extension World {
  func perform(_ act: Act) throws -> Outcome {
    switch act {
    case .open(let age):
      tokens.append(try scene.request(signedAt: Timestamp(seconds: time - age)))
      return try open(tokens.count - 1)
    case .openAgain(let number): return tokens.isEmpty ? .nothing : try open(number % tokens.count)
    case .use: return try call(.mac, limited, TestService.macBody())
    case .draw: return try call(.random, .none, Self.randomBody(), from: Self.everyone)
    case .code: return try makeCode()
    case .codeAgain(let number): return codes.isEmpty ? .nothing : try verify(codes[number % codes.count])
    case .work: return try call(.mac, working, TestService.macBody())
    case .change(let change): return try call(change.opcode, working, [], on: .operators)
    case .wait(let seconds):
      scene.clock.now = scene.clock.now.adding(seconds: seconds)
      timers.run(for: seconds)
      return .done
    case .setClock(let ahead):
      scene.clock.step(seconds: ahead - offset)
      offset = ahead
      return .done
    case .stop:
      guard let service else { return .nothing }
      _ = service.service.stop()
      try end(.losesUnsynced)
      return .done
    case .kill(let crash):
      guard service != nil else { return .nothing }
      try end(crash)
      return .done
    case .start: return try start()
    case .fail(let call, let fault, let errno):
      disk.fail(call: disk.changingCalls + call, fault, errno: errno)
      return .done
    case .loseSegment: return try loseSegment()
    case .backUp: return try backUp()
    case .restore(let number): return try restore(number)
    case .putBack(let piece, let number): return try putBack(piece, number)
    case .remove(let piece): return try remove(piece)
    }
  }

  // MARK: requests

  private func call(
    _ opcode: Opcode, _ key: KeyID, _ body: [UInt8], from caller: Caller = TestService.caller, on socket: SocketKind = .services
  ) throws -> Outcome { try reply(opcode, key, body, from: caller, on: socket)?.outcome ?? .down }

  private func reply(
    _ opcode: Opcode, _ key: KeyID, _ body: [UInt8], from caller: Caller = TestService.caller, on socket: SocketKind = .services
  ) throws -> (outcome: Outcome, body: [UInt8])? {
    guard let service else { return nil }
    let (header, body) = try service.call(opcode, key: key, body: body, from: caller, on: socket)
    if header.auditSequence != ReplyHeader.unaudited { acknowledged[header.auditSequence] = opcode.name }
    guard header.status == .rejected, !body.isEmpty else { return (.said(header.status.name), body) }
    return (.said(try Rejection(MessageReader(body.span)).stage.name), body)
  }

  private func open(_ number: Int) throws -> Outcome {
    guard let service else { return .down }
    return .said(try scene.open(tokens[number], service))
  }

  private func makeCode() throws -> Outcome {
    guard let made = try reply(.signOTP, coded, []) else { return .down }
    guard made.outcome.isOK else { return made.outcome }
    let code = try SignOTPReply(MessageReader(made.body.span)).otp.array
    let outcome = try verify(code)
    if outcome.isOK { codes.append(code) }
    return outcome
  }

  private func verify(_ code: [UInt8]) throws -> Outcome {
    let nobody: [UInt8] = []
    return try call(
      .verifyOTP, coded,
      written(atMost: 64) {
        var request = VerifyOTPRequest()
        (request.subject, request.code) = (nobody.span, code.span)
        try request.encode(into: &$0)
      })
  }

  private func backUp() throws -> Outcome {
    guard let made = try reply(.backUp, .none, [], on: .operators) else { return .down }
    if made.outcome.isOK { backups.append(try BackUpReply(MessageReader(made.body.span))) }
    return made.outcome
  }

  private static func randomBody() throws -> [UInt8] { try written(atMost: 8) { try RandomRequest(count: 16).encode(into: &$0) } }

  // MARK: starts and stops

  private func end(_ crash: SimulatedDisk.Crash) throws {
    disk = disk.afterCrash(crash)
    service = nil
    timers.clear()
  }

  private func start() throws -> Outcome {
    guard service == nil else { return .nothing }
    do {
      let next = try scene.service(on: disk, grants: Self.grants(), segmentSize: Self.segmentSize, adjust: Self.adjust(timers))
      try next.unlock()
      service = next
    } catch {
      try takeBack()
      return .refused("\(error)")
    }
    untouched = nil
    snapshots.append(try files())
    try checkRecords()
    return .done
  }

  /// Every record that was acknowledged is there, but for those in segments that were moved away.
  private func checkRecords() throws {
    var first: UInt64?
    var found: [UInt64: String] = [:]
    for record in try service?.records() ?? [] {
      first = first ?? record.sequence
      found[record.sequence] = record.operation
    }
    for (sequence, operation) in acknowledged where sequence >= first ?? 0 {
      guard found[sequence] == operation else { throw Surprise("record \(sequence) of \(operation) is \(found[sequence] ?? "gone")") }
    }
  }

  // MARK: files

  private func files() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try disk.list("/state/keys") where name != "lock" { found["/state/keys/" + name] = disk.contents("/state/keys/" + name) }
    for name in Self.stateFiles { found["/state/" + name] = disk.contents("/state/" + name) }
    return found
  }

  private func put(_ wanted: [String: [UInt8]], only isPart: (String) -> Bool = { _ in true }) throws {
    for path in try files().keys where isPart(path) && wanted[path] == nil { disk.unplant(path) }
    for (path, bytes) in wanted where isPart(path) { disk.plant(path, bytes) }
  }

  /// Undoes what was tampered with, and takes a fault away, as a person does after a start was refused.
  private func takeBack() throws {
    disk = disk.afterCrash(.losesUnsynced)
    if let untouched { try put(untouched) }
    untouched = nil
  }

  private func tamper(_ body: () throws -> Void) throws -> Outcome {
    if untouched == nil { untouched = try files() }
    try body()
    return .done
  }

  private func putBack(_ piece: Act.Piece, _ number: Int) throws -> Outcome {
    guard service == nil else { return .nothing }
    let old = snapshots[number % snapshots.count]
    return try tamper { try put(old, only: piece.contains) }
  }

  private func remove(_ piece: Act.Piece) throws -> Outcome {
    guard service == nil, piece != .store else { return .nothing }
    return try tamper { for path in try files().keys where piece.contains(path) { disk.unplant(path) } }
  }

  private func restore(_ number: Int) throws -> Outcome {
    guard service == nil, !backups.isEmpty else { return .nothing }
    let backup = backups[number % backups.count]
    guard let digest = Digest256(backup.digest) else { return .nothing }
    return try tamper {
      for name in try disk.list("/state/keys") { disk.unplant("/state/keys/" + name) }
      disk.unplant("/state/keys")
      try StoreCopy("/state/" + backup.name, on: disk).restore(to: "keys", in: "/state", digest: digest, at: scene.clock.now)
    }
  }

  private func loseSegment() throws -> Outcome {
    let segments = try disk.list("/audit").filter { $0.hasSuffix(".log") }.sorted()
    guard segments.count > 1 else { return .nothing }
    disk.unplant("/audit/" + segments[0])
    return .done
  }
}

extension Act.Piece {
  fileprivate func contains(_ path: String) -> Bool {
    switch self {
    case .counters: path.hasSuffix(".ctr")
    case .ledgers: path.hasSuffix(".otp")
    case .recollection: path.hasSuffix(".recollection")
    case .checkpoint: path.hasSuffix(".checkpoint")
    case .store: path.hasPrefix("/state/keys/")
    }
  }
}

extension Act.Change {
  fileprivate var opcode: Opcode {
    switch self {
    case .suspend: .suspendKey
    case .resume: .resumeKey
    case .retire: .retireKey
    case .compromise: .compromiseKey
    case .destroy: .destroyKey
    }
  }
}
