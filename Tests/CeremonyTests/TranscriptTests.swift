import Ceremony
import Crypto
import Format
import Host
import KeyStore
import Review
import TestSupport
import Testing

@testable import Audit

/// What a transcript proves, and what it does not let pass.
@Suite struct TranscriptTests {
  private let room: TestRoom
  private let witness: PrivateKey
  private static let plan = TestPlan(TestPlan.initialise, TestPlan.merchantKey)

  init() throws {
    room = try TestRoom()
    witness = try PrivateKey.generate(.ed25519)
  }

  /// With a witness who signs note lines, whose key the test has.
  private func plan() throws -> TestPlan {
    var plan = Self.plan
    plan.people.replace(
      TestPlan.witnessKey,
      with: try NoteKey(name: "wendy.example", key: witness.publicKey, .cosignature).vkey)
    return plan
  }

  private func sign(_ checkpoint: [UInt8], time: UInt64 = 1_800_000_001) throws -> [UInt8] {
    let key = try NoteKey(name: "wendy.example", key: witness.publicKey, .cosignature)
    let message = Array("cosignature/v1\ntime \(time)\n".utf8) + checkpoint
    let signature = try witness.sign(message.span)
    let timed = time.bigEndianBytes + signature
    return NoteStamp(name: "wendy.example", keyID: key.keyID, signature: timed).line
  }

  private func read(_ path: String) throws -> [UInt8] {
    try DurableFile.read(path, limit: 1 << 22, on: room.disk)
  }

  @Test func aWitnessSigns() throws {
    try room.run(try plan())
    #expect(try room.verdict().outcome == .unwitnessed)
    room.disk.plant("/media/line", try sign(try read("/ceremony/checkpoint")))
    room.disk.plant(
      "/media/other",
      try sign(Array("ceremony/other\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n".utf8)))
    let desk = ScriptedDesk(answering: [
      ("file with your signature", ["/media/none", "/media/other", "/media/line"])
    ])
    try room.resume(desk)
    #expect(desk.shown.contains("signed by wendy"))
    let verdict = try room.verdict()
    #expect(verdict.outcome == .complete && verdict.signers == ["wendy"])
    let note = try read("/ceremony/transcript.note")
    let checkpoint = try read("/ceremony/checkpoint")
    let parsed = try CosignedCheckpoint(parsing: note.span)
    #expect(verdict.genesis == parsed.checkpoint.genesis)
    let leaf = TreeHash.leaf(checkpoint.span)
    #expect(verdict.genesis == leaf)
  }

  @Test func theTranscriptIsALogOfItsOwn() throws {
    try room.run(Self.plan)
    let vkey = String(decoding: try read("/ceremony/transcript-1/tool.vkey"), as: UTF8.self).split(
      separator: "\n")[0]
    let verifier = try NoteVerifier(vkey: vkey)
    #expect(verifier.name == "ceremony/acme-2026-1")
    let found = LogVerifier(verifier, signatures: .every).verify(
      LogDirectory("/ceremony/transcript-1", on: room.disk))
    #expect(found.verdict == .good && found.checkpointCount > 20)
  }

  /// The audit log of the store begins with the transcript.
  @Test func theGenesisOfTheAuditLog() throws {
    try room.run(Self.plan)
    let genesis = try #require(try room.verdict().genesis)
    var settings = AuditSettings(boot: room.host.boot, clock: room.host.clock)
    settings.genesis = genesis
    try room.disk.makeDirectory("/audit", mode: 0o700)
    let signer = try NoteSigner(name: "acme/audit", key: try PrivateKey.generate(.ed25519))
    let nothing = SHA256.hash([])
    let log = try AuditLog(
      LogDirectory("/audit", on: room.disk), signer: signer,
      start: StartFacts(policy: nothing, configuration: nothing), settings: settings)
    var first: Digest256?
    try log.reader.forEachRecord { record, _ in
      first = first ?? record.previous
      return true
    }
    #expect(first == genesis)
  }

  // What is not true.

  private func broken(_ fault: TranscriptFault, _ change: () throws -> Void) throws {
    try change()
    #expect(throws: fault) { try room.verdict() }
  }

  @Test func anotherPlan() throws {
    try room.run(Self.plan)
    var plan = Self.plan
    plan.head.replace("first key", with: "only key")
    try broken(.sitting(1)) { room.disk.plant("/ceremony/ceremony.toml", Array(plan.text.utf8)) }
    try broken(.plan) { room.disk.plant("/ceremony/ceremony.toml", Array("id = 1".utf8)) }
  }

  @Test func anOutputThatWasChanged() throws {
    try room.run(Self.plan)
    let path = "/ceremony/outputs/acme-processing.pem"
    try broken(.output("acme-processing.pem")) { room.disk.plant(path, try read(path) + [0x0A]) }
    try broken(.output("acme-processing.pem")) { room.disk.unplant(path) }
  }

  @Test func aRecordThatWasChanged() throws {
    try room.run(Self.plan)
    let segment = try #require(
      try room.disk.list("/ceremony/transcript-1").first {
        $0.hasSuffix(".jsonl") || $0.contains("0000")
      })
    let text = String(decoding: try read("/ceremony/transcript-1/" + segment), as: UTF8.self)
    #expect(text.contains("B-4711"))
    try broken(.log(sitting: 1)) {
      room.disk.plant(
        "/ceremony/transcript-1/" + segment, Array(text.replacing("B-4711", with: "B-4712").utf8))
    }
  }

  @Test func anotherKeyOrNote() throws {
    try room.run(Self.plan)
    let other = try NoteSigner(name: "ceremony/acme-2026-1", key: try PrivateKey.generate(.ed25519))
    let note = try read("/ceremony/transcript.note")
    try broken(.note) {
      let head = try CosignedCheckpoint(parsing: note.span).checkpoint
      room.disk.plant("/ceremony/transcript.note", try head.signed(by: other))
    }
    try broken(.note) { room.disk.plant("/ceremony/transcript.note", Array(note.dropLast())) }
    room.disk.plant("/ceremony/transcript.note", note)
    _ = try room.verdict()
    try broken(.log(sitting: 1)) {
      room.disk.plant("/ceremony/transcript-1/tool.vkey", Array((other.verifier.vkey + "\n").utf8))
    }
  }

  @Test func aSignatureThatIsNotTrue() throws {
    try room.run(Self.plan)
    try broken(.signature) {
      room.disk.plant("/ceremony/wendy.sshsig", Array("-----BEGIN SSH SIGNATURE-----\n".utf8))
    }
  }

  @Test func nothingThere() throws {
    #expect(throws: TranscriptFault.self) { try room.verdict("/nowhere") }
    try room.disk.makeDirectory("/empty", mode: 0o700)
    room.disk.plant("/empty/ceremony.toml", Array(Self.plan.text.utf8))
    #expect(throws: TranscriptFault.sitting(1)) { try room.verdict("/empty") }
  }
}
