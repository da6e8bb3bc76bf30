import Audit
import Ceremony
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy
import Service
import ServiceHarness
import TestSupport
import Testing

/// A locked service whose KEK is split two of three, and its custodians: users 1, 2 and 3.
final class ShareScene {
  static let window: Int64 = 600
  /// Every custodian's share.
  let shares: [[UInt8]]
  let service: TestService
  private let waiting = Waiting()

  /// - Parameters:
  ///   - users: of the custodians; nil for a KEK that is not split.
  ///   - kek: what the shares give.
  init(users: [String]? = ["user1", "user2", "user3"], kek: [UInt8] = TestService.kek) throws {
    try #require(TestArena.ready)
    let split = try SplitKEK.split(kek)
    shares = try SplitKEK.parts(of: split)
    let register = try users.map { try SplitKEK.register(split, users: $0, of: TestService.kek) }
    service = try Self.service(on: TestService.newDisk(custodians: register), waiting)
  }

  /// Hands a share in as the custodian of that number, or as another user.
  func submit(_ share: [UInt8], as uid: UInt32) throws -> (
    status: Status, stage: Stage?, progress: ShareProgressReply?
  ) {
    let reply = try service.call(
      .submitShare, body: SplitKEK.body(share), from: SplitKEK.user(uid), on: .operators)
    let status = reply.header.status
    let body = reply.body
    let reader = MessageReader(body.span)
    if status == .ok { return (.ok, nil, try ShareProgressReply(reader)) }
    return (status, try body.isEmpty ? nil : Rejection(reader).stage, nil)
  }

  /// The stage at which a share is refused; nil for one that is taken.
  func refusal(_ share: [UInt8], as uid: UInt32) throws -> Stage? {
    try submit(share, as: uid).stage
  }

  func progress() throws -> ShareProgressReply {
    let body = try service.call(.shareProgress, from: SplitKEK.user(9), on: .operators).body
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

  private static func service(on disk: SimulatedDisk, _ waiting: Waiting) throws -> TestService {
    let everybody = try Rule(
      id: "custodians",
      callers: CallerRule(users: [1, 2, 3, 4, 9, 1000].map { Principal(id: $0) }),
      operations: [.submitShare, .shareProgress, .lock, .random], keys: [], showsStage: true)
    return try TestService(
      on: disk, grants: [everybody],
      adjust: { settings in
        settings.configuration.shareWindow = .seconds(window)
        settings.userID = SplitKEK.userID
        settings.after = { _, action in waiting.add(action) }
      })
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
