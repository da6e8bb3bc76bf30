internal import Format
internal import Policy

/// What the questions about some rules have in common.
struct QuestionSpace {
  let times: [Timestamp]
  /// A number that is no user or group of any rule.
  let nobody: UInt32

  init(_ rules: [Rule], around now: Timestamp) {
    times = SampleTimes.all(of: rules, around: now)
    let named = Set(rules.flatMap { ($0.callers.users + $0.callers.groups).map(\.id) })
    nobody = (1_000_000_000...UInt32.max).first { !named.contains($0) } ?? Principal.overflow
  }
}
