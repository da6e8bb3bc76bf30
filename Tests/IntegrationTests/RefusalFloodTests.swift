import Audit
import Format
import Foundation
import KistClient
import Review
import Testing

/// A user without a grant, whose requests are refused as fast as they come.
@Suite struct RefusalFloodTests {
  @Test(
    "a flood of refusals has few records, and every answer to it is accounted for after kill -9")
  func flood() throws {
    let policy = """
      [[grant]]
      id = "somebody-else"
      users = [60001]
      operations = ["random"]
      """
    var options = TestDaemon.Options()
    options.policy = policy
    options.extra = "[limits]\nrefusals = \"10/s\"\n"
    let daemon = try TestDaemon(options)
    let sockets = try (0..<4).map { _ in try RawSocket(daemon.services) }
    let began = Date()
    var answers: [UInt64: Int] = [:]
    for _ in 0..<2 {
      for socket in sockets {
        for number in 0..<32 {
          socket.send(RawSocket.frame(.random, requestID: UInt64(number), body: [8, 8]))
        }
      }
      for socket in sockets {
        for _ in 0..<32 {
          let reply = try #require(try socket.reply())
          #expect(reply.status == .denied)
          answers[reply.auditSequence, default: 0] += 1
        }
      }
    }
    daemon.killHard()
    let seconds = Int(Date().timeIntervalSince(began)) + 1

    let records = try daemon.records()
    #expect(records.count { $0.operation == "random" } <= 10 * (seconds + 1))
    #expect(records.count { $0.operation == "requests-refused" } <= seconds + 1)
    for (sequence, count) in answers {
      let record = try #require(records.first { $0.sequence == sequence })
      let stands =
        record.operation == "random" ? 1 : record.countedRefusals.reduce(0) { $0 + $1.count }
      #expect(
        stands >= count && record.actor?.uid == Int64(getuid()),
        "\(record.operation) at \(sequence)")
    }
    #expect(answers.values.reduce(0, +) == 2 * 4 * 32)
  }
}
