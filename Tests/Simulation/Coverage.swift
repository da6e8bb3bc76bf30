/// What came of histories: how often each kind of act came to what, so that one sees what never
/// happened.
package struct Coverage: Sendable, CustomStringConvertible {
  private var counts: [String: Int] = [:]
  private var histories = 0
  package private(set) var surprises = 0

  package init() {}

  package mutating func add(_ history: History) {
    histories += 1
    if history.surprise != nil { surprises += 1 }
    for (act, outcome) in zip(history.acts, history.outcomes) {
      guard case (.together(let acts), .each(let outcomes)) = (act, outcome) else {
        count(act, outcome)
        continue
      }
      for (act, outcome) in zip(acts, outcomes) { count(act, outcome, "at once: ") }
    }
  }

  private mutating func count(_ act: Act, _ outcome: Outcome, _ prefix: String = "") {
    counts["\(prefix)\(act.kind): \("\(outcome)".prefix { $0 != "(" })", default: 0] += 1
  }

  package var description: String {
    let lines = counts.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }
    return (["\(histories) histories, \(surprises) surprises"] + lines).joined(separator: "\n")
  }
}

extension Act {
  /// What it is, without its numbers.
  fileprivate var kind: String {
    switch self {
    case .fail(_, let fault, let errno): return "a call fails, \(fault), errno \(errno)"
    case .kill, .putBack: return String("\(self)".prefix { !$0.isNumber })
    case .setClock(let ahead):
      return "set the clock " + (ahead == 0 ? "right" : ahead > 0 ? "ahead" : "back")
    default:
      let words = "\(self)".prefix { !$0.isNumber && $0 != "," && $0 != "-" }
      return String(words.last == " " ? words.dropLast() : words)
    }
  }
}
