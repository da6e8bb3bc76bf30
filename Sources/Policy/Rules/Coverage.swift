/// A rule that covers a caller, and by which of the caller's groups and unit it does: what all grants under it share.
package final class Coverage: Sendable {
  let rule: Rule
  let caller: Caller
  /// The first of the rule's groups that the caller is in, and the caller's unit, where the rule states any.
  let group: Principal?
  let unit: String?

  init(_ rule: Rule, _ caller: Caller) {
    (self.rule, self.caller) = (rule, caller)
    let own = caller.allGroups
    group = rule.callers.groups.first { own.contains($0.id) }
    unit = rule.callers.units.isEmpty ? nil : caller.unit
  }
}
