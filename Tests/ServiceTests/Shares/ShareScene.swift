import Audit
import CryptoBackend
import Encoding
import KeyBlock
import KeyStore
import Operations
import Policy
import SecretMemory
import SecretSharing
import Service
import ServiceHarness
import ShareSplitting
import Testing
import TestSupport
import Wire

/// A locked service whose KEK is split two of three, and its custodians: users 1, 2 and 3.
final class ShareScene {
  static let window: Int64 = 600
  /// The words of every custodian's sheet.
  let sheets: [[UInt8]]
  let service: TestService
  private let waiting = Waiting()

  /// - Parameters:
  ///   - users: of the custodians; nil for a KEK that is not split.
  ///   - kek: what the shares give.
  init(users: [String]? = ["user1", "user2", "user3"], kek: [UInt8] = TestService.kek) throws {
    try #require(TestArena.ready)
    let shares = try Self.split(kek)
    sheets = try Self.sheets(of: shares)
    let disk = try Self.emptyDisk()
    let bytes = TestService.kek
    let real = try SecretBuffer(copying: bytes.span)
    let people = try users?.enumerated().map { try #require(Custodian(name: "Custodian \($0)", user: $1)) }
    let check = try KeyCheckValue.aes(real.bytes)
    let register = try people.map { try CustodianRegister(shares, holders: $0, kek: check) }
    _ = try LockedKeyStore.create("keys", in: "/state", kek: real, custodians: register, kind: .rehearsal, at: TestService.start, on: disk)
    service = try Self.service(on: disk, waiting)
  }

  /// Hands a sheet in as the custodian of that number, or as another user.
  func submit(_ words: [UInt8], as uid: UInt32) throws -> (status: Status, stage: Stage?, progress: ShareProgressReply?) {
    let reply = try service.call(.submitShare, body: Self.body(words), from: Self.user(uid), on: .operators)
    let (status, body) = (reply.header.status, reply.body)
    let reader = MessageReader(body.span)
    if status == .ok { return (.ok, nil, try ShareProgressReply(reader)) }
    return (status, try body.isEmpty ? nil : Rejection(reader).stage, nil)
  }

  /// The stage at which a sheet is refused; nil for one that is taken.
  func refusal(_ words: [UInt8], as uid: UInt32) throws -> Stage? { try submit(words, as: uid).stage }

  func progress() throws -> ShareProgressReply {
    let body = try service.call(.shareProgress, from: Self.user(9), on: .operators).body
    let reader = MessageReader(body.span)
    return try ShareProgressReply(reader)
  }

  /// Lets time pass; whoever waits for its end does then what it waited to do.
  func pass(seconds: Int64) {
    service.clock.now = service.clock.now.adding(seconds: seconds)
    for action in waiting.take() { action() }
  }

  /// Threads that wait for a window's end.
  var waitingCount: Int { waiting.count }

  func records() throws -> [Record] {
    var records: [Record] = []
    try LogReader(LogDirectory("/audit", on: service.disk)).forEachRecord { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  /// The log's last line.
  func lastLine() throws -> String {
    var last: [UInt8] = []
    try LogReader(LogDirectory("/audit", on: service.disk)).forEachRecord { _, line in
      last = line.array
      return true
    }
    return String(decoding: last, as: UTF8.self)
  }

  static func user(_ uid: UInt32) -> Caller { Caller(uid: uid, gid: uid, pid: Int32(uid)) }

  static func split(_ kek: [UInt8]) throws -> ShareCollection { try ShareCollection.split(kek.span, by: SharingScheme(2, of: 3)) }

  static func sheets(of shares: borrowing ShareCollection) throws -> [[UInt8]] {
    try shares.headers.indices.map { row in
      let words = try shares.share(row).words()
      return words.bytes.array
    }
  }

  private static func service(on disk: SimulatedDisk, _ waiting: Waiting) throws -> TestService {
    let everybody = try Rule(
      id: "custodians", callers: CallerRule(users: [1, 2, 3, 4, 9, 1000].map { Principal(id: $0) }),
      operations: [.submitShare, .shareProgress, .lock, .random], keys: [], showsStage: true)
    return try TestService(
      on: disk, grants: [everybody],
      adjust: { settings in
        settings.shareWindow = window * 1_000_000_000
        settings.userID = { name in name.hasPrefix("user") ? UInt32(name.dropFirst(4)) : nil }
        settings.after = { _, action in waiting.add(action) }
      })
  }

  private static func emptyDisk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    for path in ["/state", "/audit"] { try disk.makeDirectory(path, mode: 0o700) }
    try disk.syncDirectory("/")
    return disk
  }

  private static func body(_ words: [UInt8]) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 1024)
    var writer = MessageWriter(storage.mutableSpan)
    try SubmitShareRequest(words: words.span).encode(into: &writer)
    let count = writer.count
    return Array(storage.prefix(count))
  }
}

/// What was to be done after a time, in the order in which it was asked for.
private final class Waiting: Sendable {
  private let actions = Locked<[@Sendable () -> Void]>([])
  var count: Int { actions.withLock { $0.count } }
  func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

  func take() -> [@Sendable () -> Void] {
    actions.withLock { actions in
      defer { actions = [] }
      return actions
    }
  }
}
