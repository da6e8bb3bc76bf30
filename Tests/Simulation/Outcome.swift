/// What came of an act.
package enum Outcome: Hashable, Sendable, CustomStringConvertible {
  /// The status of a reply, or the stage of a rejection.
  case said(String)
  case done
  /// There is nothing to do it to.
  case nothing
  /// Nothing runs.
  case down
  /// A start was refused, and why.
  case refused(String)
  /// What came of requests that were made at once, in the order in which the act has them.
  indirect case each([Outcome])

  package var description: String {
    switch self {
    case .said(let text): text
    case .done: "done"
    case .nothing: "nothing to do"
    case .down: "nothing runs"
    case .refused(let reason): "refused: \(reason)"
    case .each(let outcomes): outcomes.map(\.description).joined(separator: " | ")
    }
  }

  var isOK: Bool { self == .said("ok") }
}

/// The real system did what the model says it must not.
package struct Surprise: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
