import Audit
import Crypto
import Format
import Policy
import Review
import Testing

/// [AUD-PROOF-4] Of whose trees a record tells, they can compare the log with them after the
/// records of that time were removed.
@Suite struct KeptTreesTests {
  private enum Keeper: CaseIterable { case reviewer, backup, ceremony }

  @Test(arguments: Keeper.allCases) private func itsTreeIsCompared(_ keeper: Keeper) throws {
    let test = try TestLog(segmentLimit: 2500)
    let log = try test.open()
    for number in 0..<5 { _ = try log.commit(Batch(requests: UInt64(number))) }
    let kept = log.head
    while try test.segments().count < 3 { _ = try log.commit(Batch(requests: 7)) }
    let other = log.head
    _ = try log.commit(try Self.batch(of: keeper, kept))
    while try test.segments().count < 6 { _ = try log.commit(Batch(requests: 7)) }
    try log.close()
    let retention = Retention(test.directory, test.signer.verifier)
    try retention.prune(
      try #require(
        try retention.expired(
          before: Timestamp(seconds: 4_000_000_000), at: Timestamp(seconds: 4_000_000_000))))
    let found = test.verify(anchor: kept)
    #expect(found.verdict == .good && found.firstSequence > kept.size)
    #expect(
      test.verify(anchor: other).verdict
        == .uncompared(kept: other.size, oldest: found.firstSequence))
  }

  private static func batch(of keeper: Keeper, _ head: TreeHead) throws -> Batch {
    if keeper == .ceremony {
      return Batch(
        Attempt(
          transcript: "step", ["root": head.root.hex, "size": head.size]))
    }
    var inputs = Inputs()
    if keeper == .reviewer {
      inputs.review = SignOff(head, .clean, try #require(ReviewNote("read it all")))
    }
    if keeper == .backup {
      inputs.backup = Backup(digest: head.root, generation: 1, keys: 1, needs: head.size)
    }
    let rule = try Rule(
      id: "all", callers: CallerRule(users: [Principal(id: 1000)]), operations: [.random])
    let request = RequestFacts(
      .known(.random), id: 7, caller: TestLog.caller, policy: TestLog.policy)
    return Batch(
      Attempt(
        request, allowed: try Grant.of(rule, TestLog.caller, .random), .done(released: []),
        inputs: inputs))
  }
}
