import ServiceHarness
import Simulation
import TestSupport
import Testing

/// Histories that a seed makes up: whatever is done in whatever order, nothing is granted that the
/// rules do not grant.
///
/// What is done at once is done one after the other here; `scripts/simulation.sh` has threads meet,
/// and plays more.
@Suite struct SimulationTests {
  private static let count: UInt64 = 100

  @Test("no history of these seeds surprises", arguments: 0..<UInt64(4)) func seeds(_ part: UInt64)
    throws
  {
    let scene = try TokenScene(keks: 3)
    for seed in Self.count * part / 4 + 1...Self.count * (part + 1) / 4 {
      let history = History(.made(of: seed, count: 60), in: scene)
      guard history.surprise != nil else { continue }
      Issue.record("seed \(seed):\n\(history.shortened(in: scene).told)")
    }
  }
}
