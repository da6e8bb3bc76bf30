import Crypto
import Format
import Foundation
import Review
import TestSupport
import Testing

@testable import Audit

@Suite struct WitnessTests {
  init() throws { try #require(TestArena.ready) }

  private static let first =
    "witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN"
  private static let second =
    "witness2.example.org+2e55b896+BIZ7fpceQWd60IfqQeS9IAnmNOCZjMDne8lZuguz/bi9"
  private static let time: UInt64 = 0x6954_6780
  private static let now = Timestamp(seconds: Int64(time) + 60)

  private func note(_ path: String) throws -> CosignedCheckpoint {
    let bytes = [UInt8](try Vectors.data("tlog/sunlight/" + path + "/checkpoint"))
    let note = try CosignedCheckpoint(parsing: bytes.span)
    #expect(note.note == bytes)
    return note
  }

  private var witnessed: CosignedCheckpoint {
    get throws {
      try note("witness/000de184301123b9278c086a7d9f68c9577e83872224c197058fd90784ea9706")
    }
  }

  private var other: CosignedCheckpoint {
    get throws {
      try note("witness2/88ad7a28caeb0b2aa890fdf0304c2fcaf59fca2ee140134ff8c1300bac493482")
    }
  }

  /// [AUD-PROOF-3]
  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func sunlightsCosignedCheckpointsVerify() throws {
    let first = try WitnessKey(vkey: Self.first)
    let second = try WitnessKey(vkey: Self.second)
    #expect(try first.time(of: witnessed) == Self.time)
    #expect(try second.time(of: other) == Self.time)
    #expect(try second.time(of: witnessed) == nil)
    #expect(try first.time(of: note("tree")) == nil)
    #expect(try witnessed.checkpoint.head == other.checkpoint.head)
    #expect(try witnessed.checkpoint.head.size == 300)
  }

  /// [AUD-PROOF-3]
  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func aCosignatureCoversEveryByteOfTheCheckpointAndItsTime() throws {
    let key = try WitnessKey(vkey: Self.first)
    let bytes = try witnessed.note
    let start = try #require(Data(bytes).range(of: Data("\u{2014} witness.example.org".utf8)))
      .lowerBound
    let textEnd = try witnessed.checkpoint.text.count
    for i in Array(0..<textEnd) + Array(start..<bytes.count) {
      var changed = bytes
      changed[i] ^= 1
      guard let note = try? CosignedCheckpoint(parsing: changed.span) else { continue }
      #expect(((try? key.time(of: note)) ?? nil) != Self.time, "byte \(i)")
    }
  }

  private func policy(_ text: String) throws -> WitnessPolicy {
    try WitnessPolicy(parsing: Array(text.utf8).span)
  }

  private static let both =
    "witness a \(first) https://witness.example.org/\n# comment\n\n\twitness b \(second)\n"

  @Test(
    .enabled(if: Vectors.present, "vectors are not here"),
    arguments: [
      ("quorum a\n", true), ("quorum b\n", false), ("quorum none\n", true),
      ("group g any a b\nquorum g\n", true), ("group g all a b\nquorum g\n", false),
      ("group g 1 a b\nquorum g\n", true), ("group g 2 a b\nquorum g\n", false),
      ("group g all a\ngroup h any g b\nquorum h\n", true),
      ("group g any b\ngroup h all g a\nquorum h\n", false),
    ]) func aQuorumIsCounted(_ rule: String, _ isSatisfied: Bool) throws
  {
    let policy = try policy(Self.both + rule)
    #expect(try policy.isSatisfied(by: witnessed, now: Self.now) == isSatisfied)
    #expect(try policy.cosigners(of: witnessed, now: Self.now).map(\.time) == [Self.time])
    var bad = try witnessed
    let stamp = bad.stamps[1]
    bad.add(
      NoteStamp(
        name: stamp.name, keyID: stamp.keyID,
        signature: stamp.signature.dropLast() + [stamp.signature[71] ^ 1]))
    #expect(policy.isSatisfied(by: bad, now: Self.now) == (rule == "quorum none\n"))
  }

  @Test(
    "a cosignature from the future does not count",
    .enabled(if: Vectors.present, "vectors are not here")) func future() throws
  {
    let policy = try policy(Self.both + "quorum a\n")
    for (ahead, counts) in [(0, true), (300, true), (301, false), (1_000_000_000, false)]
      as [(Int64, Bool)]
    {
      let now = Timestamp(seconds: Int64(Self.time) - ahead)
      #expect(try policy.isSatisfied(by: witnessed, now: now) == counts, "\(ahead)")
      #expect(try policy.cosigners(of: witnessed, now: now).isEmpty == !counts, "\(ahead)")
    }
  }

  @Test("where the policy names logs, a checkpoint is one of theirs") func namedLogs() throws {
    let ours = try NoteSigner(name: "log.example.org", key: PrivateKey.generate(.ed25519))
    let others = try NoteSigner(name: "log.example.org", key: PrivateKey.generate(.ed25519))
    let text = try Checkpoint(
      origin: "log.example.org", head: TreeHead(size: 1, root: SHA256.hash([1]))
    ).signed(by: ours)
    let note = try CosignedCheckpoint(parsing: text.span)
    let rest = Self.both + "quorum none\n"
    #expect(try policy(rest).isSatisfied(by: note, now: Self.now))
    #expect(try policy("log \(ours.verifier.vkey)\n" + rest).isSatisfied(by: note, now: Self.now))
    #expect(
      try policy(
        "log \(others.verifier.vkey)\nlog \(ours.verifier.vkey) https://log.example.org/\n" + rest
      ).isSatisfied(by: note, now: Self.now))
    #expect(
      try !policy("log \(others.verifier.vkey)\n" + rest).isSatisfied(by: note, now: Self.now))
  }

  @Test("verifier keys of small order are no keys") func weakKeys() {
    let identity = [UInt8](arrayLiteral: 1) + [UInt8](repeating: 0, count: 31)
    for (type, name) in [(UInt8(1), "log"), (4, "witness")] {
      let id = SHA256.hash(Array(name.utf8) + [0x0A, type] + identity).bytes.prefix(4)
      let vkey = name + "+" + Hex.encode(Array(id)) + "+" + Base64.encode([type] + identity)
      #expect(throws: NoteError.key) { _ = try NoteVerifier(vkey: vkey) }
      #expect(throws: NoteError.key) { _ = try WitnessKey(vkey: vkey) }
    }
  }

  @Test(
    arguments: [
      ("", 1, .noQuorum), ("quorum a\n", 1, .unknownName),
      ("quorum none\nquorum none\n", 2, .quorum), ("quorum none", 1, .syntax),
      ("witness a\n", 1, .syntax), ("witness none \(first)\n", 1, .duplicate),
      ("witness a x+y+z\n", 1, .key), ("log \(first)\n", 1, .key),
      ("witness a \(first)\nwitness b \(first)\n", 2, .duplicate),
      ("witness a \(first)\nwitness a \(second)\n", 2, .duplicate),
      ("witness a \(first)\ngroup g 2 a\n", 2, .threshold),
      ("witness a \(first)\ngroup g 0 a\n", 2, .threshold),
      ("witness a \(first)\ngroup g any a a\n", 2, .member),
      ("witness a \(first)\ngroup g any a\ngroup h any a\n", 3, .member),
      ("group g any\n", 1, .syntax), ("group g any b\n", 1, .unknownName),
      ("witness a \(first)\nquorum none\r\n", 2, .syntax), ("other\n", 1, .syntax),
      ("quorum none extra\n", 1, .syntax),
    ] as [(String, Int, WitnessPolicyError.Reason)]) func otherPoliciesAreRefused(
      _ text: String, _ line: Int, _ reason: WitnessPolicyError.Reason
    )
  {
    do {
      _ = try policy(text)
      Issue.record("taken")
    } catch let error as WitnessPolicyError {
      #expect((error.line, error.reason) == (line, reason))
    } catch { Issue.record(error) }
  }
}
