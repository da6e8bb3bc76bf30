/// What the verifier found, with which the report begins.
package enum ReviewFinding: Hashable, Sendable {
  case good(String)
  /// All records that are there are good; only a checkpoint from elsewhere could show whether records were cut off the end.
  case endUnknown(String)
  case bad(String)
  /// No verifier key was given.
  case unverified

  package var text: String {
    switch self {
    case .good(let what): "Verified: \(what)"
    case .endUnknown(let what):
      "Verified, but for its end: \(what) Whether records were cut off the end is not known: no checkpoint that was kept elsewhere was given (--checkpoint)."
    case .bad(let what): "NOT GOOD: \(what)"
    case .unverified: "Not verified: no verifier key was given. The figures are only as good as the log."
    }
  }

  var style: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .endUnknown, .unverified: "unverified"
    }
  }
}
