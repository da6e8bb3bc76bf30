package struct DaemonQuestion: Sendable {
  /// The paths of its sockets.
  package let service, admin: String
  /// Whether policy lets the caller ask for the status: otherwise each question would leave a record of its denial.
  package let mayAskStatus: @Sendable (_ uid: UInt32, _ groups: [UInt32]) -> Bool
}

package enum DaemonAnswer: Sendable {
  case gone(reason: String)
  /// It accepts connections and does not answer.
  case silent
  /// This user may not connect.
  case closed
  case locked
  case unavailable
  case serving(DaemonReport?)
}

/// What the daemon says of itself to those who may ask.
package struct DaemonReport: Sendable {
  package let version: String
  /// The promises about its memory that it does not hold.
  package let broken: [String]

  package init(version: String, broken: [String]) { (self.version, self.broken) = (version, broken) }
}
