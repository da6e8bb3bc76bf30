import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Review
import Service
import ServiceHarness
import TestSupport

/// The real service on a simulated disk, with a clock that the acts turn; in one thread but for
/// what is done at once.
final class World {
  let scene: TokenScene
  let interleaving: any Interleaving
  let timers = Timers()
  var disk: SimulatedDisk
  var service: TestService?
  var tokens: [[UInt8]] = []
  var codes: [[UInt8]] = []
  var envelopes: [Envelope] = []
  /// The transactions of those tokens that are opened for an envelope, by the token's number.
  var sealing: [Int: [UInt8]] = [:]
  /// The name of the last request that waits for an approval.
  var request = ""
  var isDrawGranted = true
  var backups: [BackUpReply] = []
  /// The files of the state directory as they were after each start.
  var snapshots: [[String: [UInt8]]] = []
  /// As they were before somebody tampered with them.
  var untouched: [String: [UInt8]]?
  /// Sequences of durable records and the operations they are of.
  var acknowledged: [UInt64: String] = [:]
  /// What auditors keep.
  var checkpoints: [TreeHead] = []
  /// The names of ceremonies that the next start puts on the record.
  var held: [String] = []
  /// Whether a start that was refused may have put them on the record.
  var areHeldRecordedPerhaps = false
  /// The KEK of the store that is in use.
  var kek: SplitKEK
  /// The KEKs that a ceremony replaced.
  var replaced: Set<KeyCheckValue> = []
  let (limited, coded, working, agreeing): (KeyID, KeyID, KeyID, KeyID)
  /// Nil while nothing runs.
  var connections: Connections?
  var handles: [Held] = []
  var imported: [ImportedKey] = []
  /// Which host this is, and the copy that it began with.
  var host = (number: UInt8(0), copy: Digest256?.none)
  /// When each segment of the log was seen first, in true time.
  var segmentsSeen: [String: Int64] = [:]
  /// How far the machine's clock is ahead of true time.
  var offset: Int64 = 0

  static let segmentSize = 1 << 13
  /// Room for a few keys more.
  static let manifestLimit = 93_000
  static let stateFiles = ["audit.recollection", "audit.checkpoint"]
  static let everyone = Caller(uid: 2000, gid: 2000, pid: 2)
  static let approver = Caller(uid: 1001, gid: 1001, pid: 3)

  init(_ scene: TokenScene, _ interleaving: any Interleaving) throws {
    self.scene = scene
    self.interleaving = interleaving
    kek = scene.keks[0]
    scene.clock.now = TestService.start
    let first = try scene.service(
      grants: Self.grants(drawing: true), standInKeys: Self.standInKeys,
      segmentSize: Self.segmentSize, manifestLimit: Self.manifestLimit,
      adjust: Self.adjust(timers))
    try first.unlock()
    (limited, coded, working, agreeing) = (
      try first.generateKey("merchant/acme/limited", "mac-cmac") {
        $0.useLimit = UInt64(Model.useLimit)
      },
      try first.generateKey("merchant/acme/codes", "otp-hotp") {
        // Of six digits, two codes of one window are the same once in a hundred thousand histories.
        ($0.otp.digits, $0.otp.hash, $0.otp.window, $0.otp.failures, $0.otp.lockout) = (
          8, .sha256, 3, 10, 60
        )
      }, try first.generateKey("merchant/acme/working"),
      try first.generateKey("merchant/acme/agreement", "agreement")
    )
    disk = first.disk
    service = first
    connections = Connections(to: first.service)
    snapshots.append(try files())
  }

  /// True time in seconds.
  var time: Int64 { clock - offset }
  /// The machine's clock, in seconds.
  var clock: Int64 { scene.clock.now.seconds }

  static func grants(drawing isDrawGranted: Bool) throws -> [Rule] {
    func rule(_ id: String, _ caller: Caller, _ operation: Opcode, _ quota: Quota? = nil) throws
      -> Rule
    {
      try Rule(
        id: id, callers: CallerRule(users: [Principal(id: caller.uid)]), operations: [operation],
        showsStage: true, quota: quota)
    }
    // No quota for the first: one whose records are lost counts as used up, and then refuses
    // everything.
    return try [
      TestService.everything(Opcode.grantable.filter { $0 != .auditDigest }),
      rule("approvers", approver, .approve),
    ] + (1...3).map { try rule("custodian-\($0)", SplitKEK.user($0), .submitShare) }
      + (isDrawGranted ? [rule("daily", everyone, .random, Quota("\(Model.dailyQuota)/d"))] : [])
  }

  static var standInKeys: StandInKeys {
    guard let key = KeyLabel("merchant/sealing") else { return StandInKeys() }
    let envelopes = StandInKeys.Envelopes(
      key: key, lifetime: UInt32(Model.envelopeLifetime), openOnce: true)
    return StandInKeys(merchants: [
      TokenScene.merchant: StandInKeys.Merchant(surrogateKey: nil, envelopes: envelopes)
    ])
  }

  static func adjust(_ timers: Timers, on host: (number: UInt8, copy: Digest256?) = (0, nil)) -> (
    inout ServiceSettings
  ) -> Void {
    { settings in
      settings.machine = SHA256.hash([host.number])
      settings.configuration.audit.lostWith = host.copy?.hex
      settings.configuration.backup.directory = "/state"
      settings.configuration.destroyedRetention = .seconds(600)
      settings.userID = SplitKEK.userID
      settings.configuration.operators.approval = [.destroyKey]
      settings.configuration.operators.approvalTime = .seconds(Model.approvalTime)
      settings.after = { delay, action in timers.add(delay, action) }
    }
  }
}

extension World {
  func perform(_ act: Act) throws -> Outcome {
    switch act {
    case .open(let age, let canRetry):
      _ = try perform(.mint(age: age, canRetry: canRetry))
      return try open(tokens.count - 1)
    case .mint(let age, let canRetry):
      tokens.append(
        try scene.request(
          signedAt: Timestamp(seconds: time - age), retryKey: canRetry ? retryKey : []))
      return .done
    case .openAgain(let number):
      return tokens.isEmpty ? .nothing : try open(tokens.place(around: number))
    case .together(let acts): return try together(acts)
    case .seal: return try seal()
    case .tokenise: return try tokenise()
    case .openEnvelope(let number, let canRetry):
      return try envelopes[around: number].map { try open($0, canRetry: canRetry) } ?? .nothing
    case .use: return try call(.mac, limited, TestService.macBody())
    case .draw: return try call(.random, .none, Self.randomBody(), from: Self.everyone)
    case .code: return try makeCode()
    case .newCode: return try newCode()
    case .codeAgain(let number): return try codes[around: number].map(verify) ?? .nothing
    case .agree: return try agree()
    case .derive(let number): return try derive(number)
    case .useHandle(let number, let isOwn): return try useHandle(number, isOwn: isOwn)
    case .releaseHandle(let number): return try releaseHandle(number)
    case .importKey(let isActive, let lifetime):
      return try importKey(isActive: isActive, lifetime: lifetime)
    case .useImported(let number): return try useImported(number)
    case .advance(let number): return try advance(number)
    case .work: return try call(.mac, working, TestService.macBody())
    case .change(let change): return try enter(change)
    case .approve(let own): return try approve(by: own ? TestService.caller : Self.approver)
    case .swap(let grants): return try swap(grants)
    case .lock: return try call(.lock, .none, [], on: .operators)
    case .unlock: return try unlock()
    case .submitShare(let number): return try submitShare(number)
    case .hold(let ceremony): return try hold(ceremony)
    case .wait(let seconds):
      _ = try segments()
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
    case .fill(let bytes):
      disk.fill(to: disk.usedBytes + bytes)
      return .done
    case .makeRoom:
      disk.fill(to: nil)
      return .done
    case .loseSegment: return try loseSegment()
    case .prune: return try retain { try $0.prune($1) }
    case .keepCheckpoint: return try keepCheckpoint()
    case .audit(let number, let isForked): return try audit(number, isForked: isForked)
    case .compress: return try retain { _, pruning in compress(pruning.segments) }
    case .backUp: return try backUp()
    case .restore(let number): return try restore(number)
    case .move(let number): return try move(number)
    case .putBack(let piece, let number): return try putBack(piece, number)
    case .remove(let piece): return try remove(piece)
    }
  }
}
