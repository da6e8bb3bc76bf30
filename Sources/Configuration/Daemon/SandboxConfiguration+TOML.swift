internal import Format
internal import Policy

extension SandboxConfiguration {
  /// nil if there is no such section.
  static func decode(_ root: TOMLTable) throws(ConfigurationError) -> SandboxConfiguration? {
    try root.optional("sandbox")?.decodeTable { table throws(ConfigurationError) in
      let rehearsal = try table.required("rehearsal", "true, which marks every key as a rehearsal's")
      guard try rehearsal.boolean() else { throw rehearsal.unfit("false", "true; a production configuration has no [sandbox]") }
      var sandbox = SandboxConfiguration()
      sandbox.trustAnchor = try table.required("trust_anchor", "the absolute path of a root certificate").path()
      sandbox.clock = try table.optional("clock")?.text("a moment such as \"2026-11-20T09:30:00Z\"") { Timestamp($0) }
      return sandbox
    }
  }
}
