package import Crypto
package import ServiceHarness

/// What a list of acts comes to.
package struct History: Sendable {
  package let acts: [Act]
  private let seed: UInt64
  private let interleaving: any Interleaving
  /// What came of each, as far as it went.
  package private(set) var outcomes: [Outcome] = []
  package private(set) var surprise: String?
  /// Of the outcomes, and of every file that is there in the end.
  package private(set) var digest = SHA256.hash([])

  /// Plays the acts from an empty store on.
  ///
  /// - Parameter seed: how threads meet, and what is random.
  package init(
    _ acts: [Act], seed: UInt64 = 0, _ interleaving: any Interleaving = InTurn(),
    in scene: TokenScene
  ) {
    self.acts = acts
    self.seed = seed
    self.interleaving = interleaving
    interleaving.begin(seed)
    do {
      let world = try World(scene, interleaving)
      var model = Model()
      for act in acts {
        let outcome = try world.perform(act)
        outcomes.append(outcome)
        try model.judge(act, outcome, time: world.time, clock: world.clock)
      }
      digest = SHA256.hash(try world.everyFile() + Array("\(outcomes)".utf8))
    } catch { surprise = "\(error)" }
  }

  /// The shortest history that can be had of this one by leaving acts out and still surprises.
  package func shortened(in scene: TokenScene) -> History {
    var shortest = History(
      Array(acts.prefix(outcomes.count + 1)), seed: seed, interleaving, in: scene)
    guard shortest.surprise != nil else { return self }
    var length = max(1, shortest.acts.count / 2)
    while true {
      var start = 0
      while start < shortest.acts.count {
        var fewer = shortest.acts
        fewer.removeSubrange(start..<min(start + length, fewer.count))
        let next = History(fewer, seed: seed, interleaving, in: scene)
        if next.surprise != nil { shortest = next } else { start += length }
      }
      guard length > 1 else { return shortest }
      length /= 2
    }
  }

  /// In words, one act a line.
  package var told: String {
    let lines = acts.enumerated().map { place, act in
      "  \(act)" + (place < outcomes.count ? ": \(outcomes[place])" : "")
    }
    return (lines + [surprise.map { "  -> \($0)" } ?? "  -> as it should be"]).joined(
      separator: "\n")
  }
}
