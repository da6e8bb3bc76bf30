import Audit
import Format
import Operations
import Policy
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// An operation is one enum: what it is called, and `run`.
private enum CountTo: Operation {
  // One of its own would be a case of `Opcode` and a row of `operationTable`; PROTOCOL.md and
  // `proto/kist.proto` have it first.
  static let opcode = Opcode.random

  // The request was decoded, strictly and once, before anything asked for what is in it.
  static func run(
    _ request: borrowing RandomRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    // What the caller may have stands in its grant, which nothing but policy can make.
    guard context.grant.opcode == .random else { throw .noSuchKey }
    // An error says whose fault it is. The caller is told one thing of all rejections; the log is
    // told the stage.
    guard request.count <= 16 else { throw .rejected(.parameters) }
    let numbers = (1...UInt8(request.count)).map { $0 }
    do throws(WireError) { try reply.bytes(1, numbers.span) } catch { throw .fault }
  }
}

/// Read this second.
@Suite struct WritingAnOperationTests {
  /// Runs it as `RequestBatch` does, for a caller whom the policy allows it.
  private func count(to number: Int) throws -> [UInt8] {
    let test = try TestService()
    try test.unlock()
    let session = try #require(test.service.session)
    let rules = test.service.rules.snapshot
    let decision = rules.policy.covering(TestService.caller, .random, key: .none).decide(
      at: test.service.moment, limits: test.service.limits)
    guard case .allow(let grant) = decision else { return [] }
    let context = OperationContext(grant, session.daemon, rules, .none)
    var request = RandomRequest()
    request.count = number
    let reply = try written(atMost: CountTo.replyCap(forBodyOf: 3)) { writer throws in
      try CountTo.run(request, context, into: &writer)
    }
    return try RandomReply(MessageReader(reply.span)).random.array
  }

  @Test func itAnswers() throws {
    #expect(try count(to: 3) == [1, 2, 3])
  }

  @Test func itRefuses() throws {
    #expect(throws: OperationError.self) { try count(to: 17) }
  }
}
