import Audit
import Foundation
import KistClient
import Testing

/// A daemon that cannot read back what it wrote: nothing of that is given twice.
@Suite(.enabled(if: Oracle.isPresent, "the token oracle is not installed"))
struct MissingRecordsTests {
  @Test(
    "[OP-OPEN-6] a token is not opened again after the segment of its record was compressed",
    arguments: ["zstd", "rm"])
  func compressedMeanwhile(_ tool: String) throws {
    let oracle = try Oracle(count: 1)
    var options = TestDaemon.Options()
    options.root = oracle.root
    options.clock = Oracle.clock
    options.keys = oracle.keys
    options.segmentSize = "1MiB"
    let daemon = try TestDaemon(options)
    let token = try #require(oracle.tokens.first).token
    let client = try Client(daemon.services)
    #expect(outcome { _ = try client.openPaymentToken(token) } == "ok")
    func segments() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: daemon.auditDirectory).filter {
        $0.hasSuffix(".log")
      }.sorted()
    }
    while try segments().count < 2 { for _ in 0..<100 { _ = try client.random(8) } }
    #expect(daemon.stop() == 0)

    // kist audit compress refuses it, so somebody does it by hand.
    let oldest = daemon.auditDirectory + "/" + (try #require(try segments().first))
    _ = try Oracle.run(tool == "zstd" ? ["zstd", "-q", "--rm", oldest] : ["rm", oldest])
    try FileManager.default.removeItem(atPath: daemon.directory.path + "/state/audit.recollection")
    let again = try daemon.restarted()
    #expect(outcome { _ = try Client(again.services).openPaymentToken(token) } == "rejected")
    #expect(again.stop() == 0)
    #expect(again.readErrors().contains("event=records-unread"))
    #expect(try again.records().contains { $0.operation == "records-unread" })
  }
}
