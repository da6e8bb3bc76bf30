import Audit
import Crypto
import Format
import Operations
import Policy
import ServiceHarness
import Testing

/// `review-log`: what a reviewer can sign off, and what its record says.
@Suite struct ReviewLogTests {
  private let test: TestService
  private let reviewer = Caller(uid: 3000, gid: 3000, pid: 1)

  init() throws {
    let draw = try Rule(
      id: "draw", callers: CallerRule(users: [Principal(id: TestService.caller.uid)]),
      operations: [.random])
    let review = try Rule(
      id: "review", callers: CallerRule(users: [Principal(id: 3000)]), operations: [.reviewLog],
      showsStage: true)
    test = try TestService(grants: [draw, review])
    try test.unlock()
    for _ in 0..<3 { _ = try test.call(.random, body: [0x08, 0x10]) }
  }

  private func checkpoint(upTo size: UInt64 = .max) throws -> TreeHead? {
    try LogReader(LogDirectory("/audit", on: test.disk)).checkpoint(upTo: size)?.checkpoint.head
  }

  private func ask(
    _ size: UInt64, _ root: [UInt8], _ note: String = "read it all", by caller: Caller? = nil,
    on socket: SocketKind = .operators
  ) throws -> String {
    var storage = [UInt8](repeating: 0, count: 1024)
    var writer = MessageWriter(storage.mutableSpan)
    var request = ReviewLogRequest()
    request.size = size
    request.root = root
    request.outcome = .followUp
    request.note = note
    try request.encode(into: &writer)
    let count = writer.count
    let reply = try test.call(
      .reviewLog, body: Array(storage.prefix(count)), from: caller ?? reviewer, on: socket)
    guard reply.header.status == .rejected else { return reply.header.status.name }
    let body = reply.body.span
    return try Rejection(MessageReader(body)).stage.name
  }

  @Test("[OP-REVIEW-1] [OP-REVIEW-2] a sign-off is a record with checkpoint, outcome and note")
  func signedOff() throws {
    let newest = try #require(try checkpoint())
    let older = try #require(try checkpoint(upTo: newest.size - 1))
    for (head, note) in [
      (newest, "two denied unlocks \u{2014} ticket 12"),
      (older, String(repeating: "n", count: 500)),
    ] {
      #expect(try ask(head.size, head.root.bytes, note) == "ok")
      let record = try #require(try test.lastRecord())
      #expect(
        (record.operation, record.actor?.uid, record.policy?.grant) == (
          "review-log", 3000, "review"
        ))
      #expect(record.inputs.review == SignOff(head, .followUp, try #require(ReviewNote(note))))
    }
  }

  @Test("[OP-REVIEW-1] nothing is signed off that is no checkpoint of this log") func noCheckpoint()
    throws
  {
    let newest = try #require(try checkpoint())
    let older = try #require(try checkpoint(upTo: newest.size - 1))
    let wrong: [(UInt64, [UInt8])] = [
      (newest.size + 1, newest.root.bytes), (UInt64.max, newest.root.bytes),
      (newest.size, older.root.bytes), (older.size, newest.root.bytes),
      (newest.size, [UInt8](repeating: 0, count: 32)), (0, newest.root.bytes),
      (1, older.root.bytes),
    ]
    for (size, root) in wrong {
      #expect(try ask(size, root) == "checkpoint")
      #expect(try test.lastRecord()?.inputs.review == nil)
    }
  }

  @Test("[OP-REVIEW-2] a note shows as what it is") func notes() throws {
    let head = try #require(try checkpoint())
    for note in [
      "", " a", "a ", "a\nb", "a\tb", "\u{1B}[2J", "\u{202E}abc", "a\u{200B}", "\u{7F}", "a\u{A0}b",
    ] {
      #expect(try ask(head.size, head.root.bytes, note) == "format")
    }
    #expect(ReviewNote(String(repeating: "n", count: 501)) == nil)
  }

  @Test("[OP-REVIEW-1] it takes the operators' socket and a grant") func denied() throws {
    let head = try #require(try checkpoint())
    #expect(try ask(head.size, head.root.bytes, on: .services) == "denied")
    #expect(try ask(head.size, head.root.bytes, by: TestService.caller) == "denied")
  }
}
