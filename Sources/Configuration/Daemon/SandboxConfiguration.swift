package import Encoding

/// `[sandbox]`: makes the daemon a rehearsal, in which no production key store opens.
package struct SandboxConfiguration: Sendable {
  /// The root certificate of a test Apple PKI, in place of Apple's.
  package let trustAnchor: String
  /// The fixed time of the daemon's clock; nil lets the clock run.
  package let clock: Timestamp?

  /// nil if there is no such section.
  static func decode(_ root: TOMLTable) throws(ConfigurationError) -> SandboxConfiguration? {
    try root.optional("sandbox")?.decodeTable { table throws(ConfigurationError) in
      let rehearsal = try table.required("rehearsal", "true, which marks every key as a rehearsal's")
      guard try rehearsal.boolean() else { throw rehearsal.unfit("false", "true; a production configuration has no [sandbox]") }
      let anchor = try table.required("trust_anchor", "the absolute path of a root certificate").path()
      let clock = try table.optional("clock")?.text("a moment such as \"2026-11-20T09:30:00Z\"") { Timestamp($0) }
      return SandboxConfiguration(trustAnchor: anchor, clock: clock)
    }
  }
}
