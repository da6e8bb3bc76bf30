extension Model {
  /// What came of requests that were made at once must be what comes of them one after the other,
  /// in some order (linearisability: Herlihy, Wing, "Linearizability: A Correctness Condition for
  /// Concurrent Objects", 1990).
  mutating func judge(together acts: [Act], _ outcomes: [Outcome], time: Int64, clock: Int64)
    throws(Surprise)
  {
    var reason = "nothing came of it"
    for order in Array(acts.indices).orders {
      var next = self
      next.isInCompany = true
      next.inHand = ([], [])
      do throws(Surprise) {
        for place in order {
          try next.judge(acts[place], outcomes[place], time: time, clock: clock)
        }
        self = next
        isInCompany = false
        inHand = ([], [])
        return
      } catch { reason = error.description }
    }
    throw Surprise("in no order is this right; in the last, \(reason)")
  }
}

extension Array {
  /// Every order of the elements.
  fileprivate var orders: [[Element]] {
    guard count > 1 else { return [self] }
    return indices.flatMap { first in
      var others = self
      let element = others.remove(at: first)
      return others.orders.map { [element] + $0 }
    }
  }
}
