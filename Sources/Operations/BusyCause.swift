/// What there was too little of for a request that is answered `busy`.
package enum BusyCause: String, CaseIterable, Sendable {
  /// Uses that the grant allows: in a moment, or in a period.
  case rate, quota
  /// Connections, of this user or in total.
  case connections
  /// Requests that can wait for a second person.
  case approvals
  /// Secrets that a connection can hold.
  case handles
  /// Secret memory.
  case memory
  /// Tokens and envelopes that the guard against their second use can remember; or the same request is under way.
  case replayGuard = "replay-guard"
  /// Answers of the fleet's store.
  case claims
  /// One-time codes that their record can hold.
  case codes
}
