import Audit
import Format
import Review
import ServiceHarness
import TestSupport
import Testing

@testable import Service

/// Read this fourth: what the daemon did can be proven to somebody who has its public key and
/// nothing else.
@Suite struct ALogsProofTests {
  @Test("a record is proven by one file, and no other record by it") func proof() throws {
    let test = try TestService()
    try test.unlock()
    for _ in 0..<20 { _ = try test.call(.random, body: [0x08, 1]) }
    let log = LogDirectory("/audit", on: test.disk)
    // The public key, which is published when the log begins.
    let verifier = try #require(test.service.session).log.verifier

    // On the host: the whole log is good, and the proof of one record is made.
    #expect(LogVerifier(verifier).verify(log).verdict == .good)
    let text = try Prover(log, verifier).record(7).text

    // Elsewhere: the record, the hashes beside its way to the root, and the root as the log signed
    // it.
    let proof = try RecordProof(parsing: text.span)
    #expect(try proof.isTrue(verifier))
    #expect(try Record(parsing: proof.record.span).sequence == 7)

    // Another record in its place is not proven.
    let other = try Prover(log, verifier).record(8).record
    #expect(try !RecordProof(record: other, proof.inclusion, under: proof.note).isTrue(verifier))
  }
}
