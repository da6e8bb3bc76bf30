package import ServiceHarness

/// What a list of acts comes to.
package struct History: Sendable {
  package let acts: [Act]
  /// What came of each, as far as it went.
  package private(set) var outcomes: [Outcome] = []
  package private(set) var surprise: String?

  /// Plays the acts from an empty store on.
  package init(_ acts: [Act], in scene: TokenScene) {
    self.acts = acts
    do {
      let world = try World(scene)
      var model = Model()
      for act in acts {
        let outcome = try world.perform(act)
        outcomes.append(outcome)
        try model.judge(act, outcome, time: world.time, clock: world.clock)
      }
    } catch { surprise = "\(error)" }
  }

  /// The shortest history that can be had of this one by leaving acts out and still surprises.
  package func shortened(in scene: TokenScene) -> History {
    var shortest = History(Array(acts.prefix(outcomes.count + 1)), in: scene)
    guard shortest.surprise != nil else { return self }
    var length = max(1, shortest.acts.count / 2)
    while true {
      var start = 0
      while start < shortest.acts.count {
        var fewer = shortest.acts
        fewer.removeSubrange(start..<min(start + length, fewer.count))
        let next = History(fewer, in: scene)
        if next.surprise != nil { shortest = next } else { start += length }
      }
      guard length > 1 else { return shortest }
      length /= 2
    }
  }

  /// In words, one act a line.
  package var told: String {
    let lines = acts.enumerated().map { place, act in "  \(act)" + (place < outcomes.count ? ": \(outcomes[place])" : "") }
    return (lines + [surprise.map { "  -> \($0)" } ?? "  -> as it should be"]).joined(separator: "\n")
  }
}
