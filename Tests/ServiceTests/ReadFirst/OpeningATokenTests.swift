import Audit
import Format
import Policy
import ServiceHarness
import TestSupport
import Testing

/// Read this first: a service asks for the last four digits of a payment's number, and nothing else
/// leaves the daemon.
@Suite struct OpeningATokenTests {
  @Test("a token is opened once: the granted field leaves, and the record of it is durable before")
  func once() throws {
    // A merchant's key under a test root, in a service on a simulated disk.
    let scene = try TokenScene()
    let service = try scene.service()
    try service.unlock()
    // What a phone sends, signed now. The request asks for one field.
    let request = try scene.request(signedAt: scene.clock.now, release: ReleasedFields([.last4]))

    let (header, body) = try scene.reply(to: request, service)
    #expect(header.status == .ok)
    let payment = try OpenPaymentTokenReply(MessageReader(body.span))
    #expect(payment.fields == ReleasedFields([.last4]) && payment.dpan.isEmpty)

    // The reply has the number of its record in the log.
    let record = try #require(try service.lastRecord())
    #expect(record.sequence == header.auditSequence && record.operation == "open-payment-token")

    // The same token again, by whomever: refused, and that is on the record as well.
    #expect(try scene.open(request, service) == "replay")
  }
}
