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
      "Verified, except for its end: \(what) Nobody knows whether records were cut off the end: give a checkpoint that was kept elsewhere (--checkpoint)."
    case .bad(let what): "NOT GOOD: \(what)"
    case .unverified: "Not verified: no verifier key was given. The figures are only as good as the log."
    }
  }

  /// For programs.
  var verdict: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .endUnknown: "end-unknown"
    case .unverified: "unverified"
    }
  }
}
