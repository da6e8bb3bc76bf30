/// What the verifier found, as the report says it first.
package enum ReviewFinding: Hashable, Sendable {
  case good(String)
  case bad(String)
  /// No verifier key was given.
  case unverified

  package var text: String {
    switch self {
    case .good(let what): "Verified: \(what)"
    case .bad(let what): "NOT GOOD: \(what)"
    case .unverified: "Not verified: no verifier key was given. The figures are only as good as the log."
    }
  }

  var style: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .unverified: "unverified"
    }
  }
}
