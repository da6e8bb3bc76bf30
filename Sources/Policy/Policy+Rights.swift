package import Encoding

extension Policy {
  /// The rules that cover this caller at this time, in deciding order.
  package func rules(for caller: Caller, at time: Timestamp) -> [Rule] {
    guard !caller.isOverflow else { return [] }
    return rules.filter { $0.covers(caller, at: time) }
  }
}
