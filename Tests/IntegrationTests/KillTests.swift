import Audit
import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// `kill -9` at random moments under load: what was acknowledged is there, and nothing is undone.
///
/// KIST_SOAK_ROUNDS makes it as long as wanted; `make soak` says how it went.
@Suite(.serialized, .enabled(if: Oracle.isPresent, "needs ../shared/oracle")) struct KillTests {
  private static let rounds = LongForm.rounds ?? 20
  /// Rounds on one log: each start after a kill reads back all of it.
  private static let roundsOfALog = 25

  /// What callers were told was done.
  private final class Acknowledged: Sendable {
    private let state = Locked<(sequences: [UInt64], opened: Set<Int>)>(([], []))

    func note(_ sequence: UInt64) { state.withLock { $0.sequences.append(sequence) } }
    func opened(_ token: Int) { state.withLock { _ = $0.opened.insert(token) } }
    var sequences: [UInt64] { state.withLock { $0.sequences } }
    var tokens: Set<Int> { state.withLock { $0.opened } }
  }

  @Test(
    "every acknowledged operation is in the log, which verifies; the key store opens, and no token opens twice",
    arguments: 0..<(rounds + roundsOfALog - 1) / roundsOfALog)
  func killed(_ log: Int) throws {
    let rounds = min(Self.rounds - log * Self.roundsOfALog, Self.roundsOfALog)
    let perRound = 4
    let oracle = try Oracle(count: rounds * perRound)
    var daemon = try TestDaemon(
      TestDaemon.Options(root: oracle.root, clock: Oracle.clock, keys: oracle.keys))
    var opened: Set<Int> = []
    var acknowledged = 0
    var found = 0
    var twice = 0
    var openings = 0
    var size = UInt64(0)
    for round in 0..<rounds {
      let done = Acknowledged()
      let load = Load(callers: 4, at: daemon.services) { client, turn in
        let reply = try client.call(.random, RandomRequest(count: 16))
        if let sequence = reply.auditSequence { done.note(sequence) }
        guard turn < perRound else { return }
        let token = round * perRound + turn
        _ = try client.openPaymentToken(oracle.tokens[token].token).amount
        done.opened(token)
      }
      try load.reach(Int.random(in: 1...40))
      usleep(UInt32.random(in: 0...30_000))
      daemon.killHard()
      load.stop()

      daemon = try daemon.restarted()
      // Only what is new: the log grows with each round, and is verified whole at the end.
      let before = size
      let records = try daemon.records(from: size)
      size += UInt64(records.count)
      #expect(records.first?.sequence == before, "the log became shorter")
      let sequences = done.sequences
      for sequence in sequences {
        let record = sequence < before ? nil : records.dropFirst(Int(sequence - before)).first
        guard let record, record.operation == "random", record.result == "ok" else {
          Issue.record("round \(round): \(sequence) was acknowledged and is not in the log")
          continue
        }
        found += 1
      }
      acknowledged += sequences.count + done.tokens.count
      opened.formUnion(done.tokens)
      openings += records.count { $0.operation == "open-payment-token" && $0.result == "ok" }
      #expect(
        openings >= opened.count, "round \(round): a token was opened and that is not in the log")
      found += min(done.tokens.count, max(0, openings - (opened.count - done.tokens.count)))
      // The guard remembers the last rounds' and some older ones.
      let client = try Client(daemon.services)
      for token in done.tokens.union(opened.prefix(5)) {
        let second = outcome { _ = try client.openPaymentToken(oracle.tokens[token].token).amount }
        #expect(second == "rejected", "token \(token) opened twice")
        twice += second == "ok" ? 1 : 0
      }
    }
    #expect(acknowledged >= rounds)
    let key = try Client(daemon.operators).status().auditVerifierKey
    #expect(daemon.stop() == 0)
    _ = try Oracle.run([
      TestDaemon.executable("kist").path, "audit", "verify", daemon.auditDirectory, "--key", key,
    ])
    print(
      """
      soak: rounds = \(rounds)
      soak: operations acknowledged = \(acknowledged)
      soak: operations found in the log = \(found)
      soak: records in the log = \(size)
      soak: tokens opened = \(opened.count)
      soak: tokens opened twice = \(twice)
      """)
  }
}
