extension World {
  /// Carries out requests at once, by a thread each.
  func together(_ acts: [Act]) throws -> Outcome {
    var results = [Result<Outcome, any Error>?](repeating: nil, count: acts.count)
    interleaving.run(
      acts.enumerated().map { place, act in { results[place] = Result { try self.perform(act) } } })
    return .each(try results.compactMap { try $0?.get() })
  }
}

extension Collection {
  /// The element with that number, counted around; -1 is the last. Nil if there is none.
  subscript(around number: Int) -> Element? {
    isEmpty ? nil : self[index(startIndex, offsetBy: place(around: number))]
  }

  /// The place of the element with that number; the collection has one at least.
  func place(around number: Int) -> Int { (number % count + count) % count }
}
