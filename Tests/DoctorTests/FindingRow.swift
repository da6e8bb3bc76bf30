import Doctor
import Foundation
import Testing

/// One mistake on a healthy host, and what the doctor says of it.
struct FindingRow: Sendable, CustomTestStringConvertible {
  /// The stable id.
  let id: String
  /// The exit code of `kist doctor`.
  let code: Int32
  /// Stand in the cause.
  let words: String
  /// The ids of what else follows from the mistake.
  let others: Set<String>
  let make: @Sendable (FalseHost) throws -> Void

  init(
    _ id: String, _ code: Int32, _ words: String, others: Set<String> = [],
    _ make: @escaping @Sendable (FalseHost) throws -> Void
  ) {
    self.id = id
    self.code = code
    self.words = words
    self.others = others
    self.make = make
  }

  var testDescription: String { id }

  static let rows =
    daemonRows + configurationRows + policyRows + unitRows + fileRows + storeRows + keyRows
    + certificateRows + logRows + hostRows

  static let configuration = "/etc/kist/kist.toml"
  static let roles = "/etc/kist/policy.d/10-roles.toml"
  static let services = "/etc/kist/policy.d/20-example.toml"
  static let keys = "/var/lib/kist/keys"
  static let log = "/var/log/kist/audit"
}
