package import Format

/// Of what log a report is, and who made it: when, where and with what.
package struct Imprint: Sendable {
  /// Its directory.
  package let log: String
  /// Has the log's origin and its key; nil if nothing was verified.
  package let verifierKey: String?
  package let made: Timestamp
  package let host: String
  /// Of the program.
  package let version: String

  package init(log: String, verifierKey: String?, made: Timestamp, host: String, version: String) {
    (self.log, self.verifierKey, self.made, self.host, self.version) = (log, verifierKey, made, host, version)
  }

  package var text: String {
    "Made at \(made.wholeSeconds) on \(host) by kist \(version)" + (verifierKey.map { ", with the verifier key \($0)." } ?? ".")
  }
}
