import Audit
import Format
import TestSupport
import Testing

/// `audit-digest`, against the records that it is to find.
@Suite struct AuditDigestTests {
  private static let pan = Array(StandInScene.pan.utf8)

  @Test("[OP-DIGEST-1] the digests are those of the records of the same values") func asRecorded()
    throws
  {
    let scene = try StandInScene(audits: [2000])
    _ = try #require(try scene.envelope().bytes)
    let written = try #require(try scene.records().first { $0.opcode == .tokenise }).inputs
    let pan = try #require(try scene.digest(.pan, Self.pan, by: 2000).text)
    let transaction = try #require(
      try scene.digest(.transaction, StandInScene.transaction, by: 2000).text)
    #expect(
      KeyedDigest(pan) == written.pan && KeyedDigest(transaction) == written.transaction
        && pan != transaction)
  }

  @Test("[OP-DIGEST-1] what is no transaction id and no PAN is rejected") func refused() throws {
    let cases: [(DigestField, [UInt8], String)] = [
      (.transaction, [], "format"),
      (.transaction, Array(StandInScene.transaction.dropLast()), "format"),
      (.transaction, Self.pan, "format"),
      (.pan, [], "pan"), (.pan, Array("4109370251004321".utf8), "pan"),
      (.pan, StandInScene.transaction, "pan"), (.pan, Array("410937025".utf8), "pan"),
    ]
    for (field, value, stage) in cases {
      let scene = try StandInScene(audits: [2000])
      #expect(try scene.digest(field, value, by: 2000) == .refused(stage))
      let record = try #require(try scene.records().last)
      #expect(record.inputs.pan == nil && record.inputs.transaction == nil)
    }
  }

  @Test(
    "[OP-DIGEST-2] it is denied without a grant, limited with one, and on the record under the digest"
  ) func limited() throws {
    let scene = try StandInScene(audits: [2000])
    #expect(try scene.digest(.pan, Self.pan, by: 1000) == .refused("denied"))
    let digest = try #require(try scene.digest(.pan, Self.pan, by: 2000).text)
    #expect(try scene.digest(.pan, Self.pan, by: 2000) == .text(digest))
    #expect(try scene.digest(.pan, Self.pan, by: 2000) == .refused("busy"))
    let asked = try scene.records().filter { $0.opcode == .auditDigest }
    #expect(asked.map(\.result) == ["denied", "ok", "ok", "denied"])
    #expect(asked.map { $0.inputs.pan?.text } == [nil, digest, digest, nil])
    #expect(try !scene.logText().contains(StandInScene.pan))
  }
}
