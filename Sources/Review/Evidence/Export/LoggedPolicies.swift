internal import Audit
internal import Crypto

/// The SHA-256 of every policy that a log names: at starts and swaps, and with each request that policy decided.
package struct LoggedPolicies: Sendable {
  private var digests: Set<String> = []
  private var last: String?

  /// Reads the whole log.
  init(_ log: LogDirectory) throws(AuditError) {
    try LogReader(log).forEachRecord { record, _ in
      for digest in record.namedPolicies { digests.insert(digest) }
      last = record.namedPolicies.last ?? last
      return true
    }
  }

  /// How a policy's canonical text relates to the log; nil if the log does not name it.
  func standing(of text: [UInt8]) -> Standing? {
    let digest = SHA256.hash(text).hex
    guard digests.contains(digest) else { return nil }
    return digest == last ? .inForce : .earlier
  }

  package enum Standing: String, Sendable {
    /// The last record that names any policy names this one.
    case inForce = "in force at the end of the log"
    case earlier = "in force earlier, and not at the end of the log"
  }
}

extension Record {
  /// In the order in which they came into force.
  fileprivate var namedPolicies: [String] {
    if let policy { return [policy.digest] }
    switch operation {
    case "start": return eventText("policy").map { [$0] } ?? []
    case "policy-swap": return [eventText("from"), eventText("to")].compactMap { $0 }
    default: return []
    }
  }
}
