import Audit
import Format
import Operations
import Policy
import Review
import Service
import ServiceHarness
import TestSupport
import Testing

/// A caller without a grant who floods the daemon: what the log has of it, and what the caller
/// waits for.
@Suite struct RefusalTallyTests {
  private static let (stranger, other) = (
    Caller(uid: 1001, gid: 1001, pid: 2), Caller(uid: 1002, gid: 1002, pid: 3)
  )

  /// What is to be done later, done when the test says so.
  private let later = Locked<[@Sendable () -> Void]>([])
  private let test: TestService

  init() throws {
    test = try TestService(adjust: { [later] in
      $0.configuration.limits.refusals = Rate(10, per: .second)
      $0.after = { _, action in later.withLock { $0.append(action) } }
    })
    try test.unlock()
    runLater()
  }

  private func runLater() {
    let due = later.withLock { actions in
      defer { actions = [] }
      return actions
    }
    for action in due { action() }
  }

  /// The replies to a batch of requests, once there are any.
  private func send(_ opcode: Opcode, _ count: Int, from caller: Caller) throws -> Locked<
    [ReplyHeader]
  > {
    var exchange = try test.service.exchange(with: caller, on: .services)
    let frame = TestService.frame(opcode)
    for _ in 0..<count { try exchange.serve(frame.span) }
    let replies = Locked<[ReplyHeader]>([])
    exchange.commit { sent in
      var rest = sent.bytes.array[...]
      var headers: [ReplyHeader] = []
      while !rest.isEmpty {
        let length = rest.prefix(RequestHeader.lengthByteCount).reduce(0) { $0 << 8 | Int($1) }
        let frame = Array(rest.dropFirst(RequestHeader.lengthByteCount).prefix(length))
        if let header = try? ReplyHeader(frame.span) { headers.append(header) }
        rest = rest.dropFirst(RequestHeader.lengthByteCount + length)
      }
      replies.withLock { $0 = headers }
    }
    return replies
  }

  private func counted() throws -> [Record] {
    try test.records().filter { $0.operation == "requests-refused" }
  }

  @Test(
    "beyond the budget refusals are counted in one record, and answered with its sequence when it is durable"
  ) func flood() throws {
    let records = try test.records().count
    let replies = try send(.describe, 25, from: Self.stranger)
    #expect(replies.withLock { $0 }.isEmpty, "a flood waits for its record")
    let more = try send(.random, 40, from: Self.stranger)
    #expect(try test.records().count == records + 10)
    #expect(try counted().isEmpty)
    runLater()
    let record = try #require(try counted().last)
    #expect(try test.records().count == records + 11)
    #expect(record.actor?.uid == 1001)
    #expect(record.event.map(\.name) == ["count", "first", "kinds", "last"])
    #expect(record.event[0].value == .integer(55))
    #expect(
      record.countedRefusals.map { "\($0.count) \($0.kind) \($0.result) \($0.denial ?? "")" } == [
        "15 describe denied no-grant", "40 random denied no-grant",
      ])
    let first = replies.withLock { $0 }
    #expect(first.count == 25 && first.allSatisfy { $0.status == .denied })
    #expect(first.prefix(10).map(\.auditSequence) == (0..<10).map { UInt64(records + $0) })
    #expect(first.dropFirst(10).allSatisfy { $0.auditSequence == record.sequence })
    #expect(
      more.withLock { $0 }.count == 40
        && more.withLock { $0 }.allSatisfy { $0.auditSequence == record.sequence })
  }

  @Test("whose budget is not used up has a record each, whoever floods; it comes back with time")
  func eachTheirOwn() throws {
    _ = try send(.describe, 30, from: Self.stranger)
    let other = try send(.describe, 3, from: Self.other)
    #expect(Set(other.withLock { $0 }.map(\.auditSequence)).count == 3)
    runLater()
    test.clock.now = test.clock.now.adding(seconds: 1)
    #expect(
      Set(try send(.describe, 10, from: Self.stranger).withLock { $0 }.map(\.auditSequence)).count
        == 10)
    #expect(try counted().count == 1)
  }

  @Test("a rate that is used up, unknown operations and broken frames are counted, too")
  func everyRefusal() throws {
    let rule = try Rule(
      id: "slow", callers: CallerRule(users: [Principal(id: 1001)]), operations: [.random],
      rate: Rate("1/h"))
    try test.service.reload(TestService.rules([rule]))
    _ = try send(.random, 12, from: Self.stranger)
    var exchange = try test.service.exchange(with: Self.stranger, on: .services)
    var frame = TestService.frame(.random)
    frame[2] = 0xBE
    frame[3] = 0xEF
    try exchange.serve(frame.span)
    try exchange.refuseBroken()
    exchange.commit { _ in }
    runLater()
    let kinds = try #require(try counted().last).countedRefusals.map {
      "\($0.count) \($0.kind) \($0.result) \($0.denial ?? "")"
    }
    #expect(kinds == ["1 random denied rate", "1 unknown unsupported ", "1 unreadable malformed "])
  }

  @Test(
    "who may ask and floods the log with questions is refused beyond a rate, and these are counted")
  func questions() throws {
    let users = [Self.stranger, Self.other].map { Principal(id: $0.uid) }
    let everybody = try Rule(
      id: "everybody", callers: CallerRule(users: users), operations: [.describe, .who, .random])
    try test.service.reload(TestService.rules([everybody]))
    let records = try test.records().count
    for _ in 0..<40 { _ = try send(.who, 25, from: Self.stranger) }
    for _ in 0..<4 { _ = try send(.describe, 25, from: Self.stranger) }
    runLater()
    #expect(try test.records().count == records + 600 + 10 + 1)
    let kinds = try #require(try counted().last).countedRefusals.map {
      "\($0.count) \($0.kind) \($0.denial ?? "")"
    }
    #expect(kinds == ["100 describe rate", "390 who rate"])
    #expect(try send(.who, 2, from: Self.other).withLock { $0 }.map(\.status) == [.ok, .ok])
    #expect(
      try send(.random, 25, from: Self.stranger).withLock { $0 }.allSatisfy {
        $0.status == .malformed
      })
  }

  @Test(
    "locking and stopping put on the record what was counted so far, and answer it",
    arguments: [true, false]) func ending(_ locks: Bool) throws
  {
    let replies = try send(.describe, 25, from: Self.stranger)
    if locks {
      #expect(try test.status(.lock, on: .operators) == .ok)
    } else {
      #expect(test.service.stop())
    }
    #expect(try counted().count == 1)
    #expect(replies.withLock { $0 }.count == 25)
    #expect(try test.operations().last == "stop")
  }

  @Test("where the counted record cannot be written, nobody is told that they were refused")
  func unwritable() throws {
    _ = try send(.describe, 10, from: Self.stranger)
    // The checkpoint of those is written, so that the next write is the counted record's.
    runLater()
    let replies = try send(.describe, 25, from: Self.stranger)
    test.disk.fail(call: test.disk.changingCalls, .notDone, errno: 5)
    runLater()
    #expect(
      replies.withLock { $0 }.map(\.status) == [Status](repeating: .auditUnavailable, count: 25))
  }

  @Test("refusals that come late to a log that was closed do not end the next session")
  func acrossSessions() throws {
    _ = try send(.describe, 10, from: Self.stranger)
    var late = try test.service.exchange(with: Self.stranger, on: .services)
    let frame = TestService.frame(.describe)
    for _ in 0..<5 { try late.serve(frame.span) }
    #expect(try test.status(.lock, on: .operators) == .ok)
    let answer = Locked<Status?>(nil)
    late.commit { sent in
      let bytes = sent.bytes.array
      let place =
        RequestHeader.lengthByteCount..<RequestHeader.lengthByteCount + ReplyHeader.byteCount
      answer.withLock { $0 = try? ReplyHeader(bytes.span.extracting(place)).status }
    }
    try test.unlock()
    let replies = try send(.describe, 25, from: Self.stranger)
    runLater()
    #expect(answer.withLock { $0 } == .locked)
    #expect(
      replies.withLock { $0 }.count == 25
        && replies.withLock { $0 }.allSatisfy { $0.status == .denied })
    #expect(test.service.stateName == "serving")
  }

  @Test("a review counts what the record stands for") func review() throws {
    _ = try send(.describe, 25, from: Self.stranger)
    runLater()
    var review = Review(since: TestService.start, until: nil)
    for record in try test.records() { review.add(record) }
    #expect(review.requestCount == 25)
    #expect(review.results["denied"]?.count == 25)
    #expect(review.exceptions["requests-refused"]?.count == 1)
  }
}
