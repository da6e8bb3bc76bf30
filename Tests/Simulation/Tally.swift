/// How often each kind of act came to what, so that one sees what never happened.
package struct Tally: Sendable, CustomStringConvertible {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package mutating func add(_ history: History) {
    for (act, outcome) in zip(history.acts, history.outcomes) {
      let kind = "\(act)".prefix { !$0.isNumber && $0 != "," && $0 != "-" }
      counts["\(kind.trimmingSuffix): \("\(outcome)".prefix { $0 != "(" })", default: 0] += 1
    }
  }

  package var description: String { counts.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }.joined(separator: "\n") }
}

extension Substring {
  fileprivate var trimmingSuffix: Substring { last == " " ? dropLast() : self }
}
