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
  /// SHA-256 of the policy in force.
  package let policyHash: [UInt8]
  /// The promises about its memory that it does not hold.
  package let broken: [String]

  package init(version: String, policyHash: [UInt8], broken: [String]) { (self.version, self.policyHash, self.broken) = (version, policyHash, broken) }
}
