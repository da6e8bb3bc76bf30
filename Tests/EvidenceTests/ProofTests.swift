import Audit
import Crypto
import Format
import Review
import Testing

@Suite struct ProofTests {
  private let test: TestLog

  init() throws { test = try TestLog(commits: 80) }

  /// [AUD-PROOF-1]
  @Test func everyRecordIsProvenByItsFileAlone() throws {
    for sequence in 0..<test.size {
      let text = try test.prover.record(sequence).text
      let proof = try RecordProof(parsing: text.span)
      #expect(proof.text == text)
      #expect(try proof.isTrue(test.verifier))
      let record = try Record(parsing: proof.record.span)
      #expect(record.sequence == sequence)
    }
    #expect(throws: ProofError.noRecord) { try test.prover.record(test.size) }
  }

  @Test func anOlderCheckpointProvesItsRecords() throws {
    let old = try test.note(test.heads[40])
    #expect(try test.prover.record(30, under: old).note == old)
    #expect(throws: ProofError.noRecord) { try test.prover.record(test.heads[40].size, under: old) }
    let forged = try test.note(TreeHead(size: test.heads[40].size, root: SHA256.hash([1])))
    #expect(throws: ProofError.otherLog) { try test.prover.record(30, under: forged) }
    let other = try TestLog(commits: 41, seed: 8)
    #expect(throws: ProofError.signature) {
      try test.prover.record(30, under: other.note(other.heads[40]))
    }
  }

  /// [AUD-PROOF-1]
  @Test func aChangedProofIsUntrueOrNone() throws {
    let text = try test.prover.record(17).text
    for i in text.indices {
      var changed = text
      changed[i] ^= 1
      guard let proof = try? RecordProof(parsing: changed.span) else { continue }
      #expect((try? proof.isTrue(test.verifier)) != true, "byte \(i)")
    }
    for end in text.indices where end < text.count {
      let cut = Array(text[..<end])
      #expect(throws: NoteError.format, "byte \(end)") { try RecordProof(parsing: cut.span) }
    }
    let proof = try RecordProof(parsing: text.span)
    let elsewhere = RecordProof(
      record: try test.prover.record(18).record, proof.inclusion, under: proof.note)
    #expect(try !elsewhere.isTrue(test.verifier))
    #expect(throws: NoteError.signer) { try proof.isTrue(TestLog(commits: 1, seed: 8).verifier) }
  }

  /// [AUD-PROOF-2]
  @Test func growthIsProvenFromEveryCheckpoint() throws {
    for old in test.heads {
      let text = try test.prover.growth(from: old).text
      let proof = try GrowthProof(parsing: text.span)
      #expect(proof.text == text)
      #expect(try proof.isTrue(test.verifier, from: old))
      #expect(
        try !proof.isTrue(test.verifier, from: TreeHead(size: old.size, root: SHA256.hash([1]))))
    }
  }

  /// [AUD-PROOF-2]
  @Test func anotherHistoryHasNoProof() throws {
    #expect(throws: ProofError.otherLog) {
      try test.prover.growth(from: TreeHead(size: 5, root: SHA256.hash([1])))
    }
    #expect(throws: ProofError.shorter) {
      try test.prover.growth(from: TreeHead(size: test.size + 1, root: SHA256.hash([1])))
    }
  }

  @Test func afterRetentionTheRestIsStillProven() throws {
    let test = try TestLog(commits: 80, segmentLimit: 5000)
    try test.prune(2)
    let edge = try LogReader(test.directory).edge()
    #expect(edge.size > 0)
    #expect(LogVerifier(test.verifier).verify(test.directory).firstSequence == edge.size)
    for sequence in edge.size..<test.size {
      #expect(try test.prover.record(sequence).isTrue(test.verifier))
    }
    #expect(throws: ProofError.removed(oldest: edge.size)) { try test.prover.record(edge.size - 1) }
    #expect(throws: ProofError.removed(oldest: edge.size)) {
      try test.prover.growth(from: test.heads[0])
    }
    let cut = try TestLog(commits: 40, segmentLimit: 5000)
    let younger = try test.note(test.heads[60])
    #expect(throws: ProofError.older(size: cut.size)) { try cut.prover.record(3, under: younger) }
    #expect(throws: ProofError.older(size: cut.size)) {
      try cut.prover.growth(from: cut.heads[0], to: younger)
    }
    for old in test.heads where old.size >= edge.size {
      #expect(try test.prover.growth(from: old).isTrue(test.verifier, from: old))
    }
  }
}
