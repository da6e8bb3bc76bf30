package import Policy

/// `[process]`: who the daemon becomes when root started it.
package struct ProcessConfiguration: Sendable {
  /// nil stays who it is.
  package let user: Principal?
  package let group: Principal?

  init(_ table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    user = try table.optional("user")?.user(accounts)
    group = try table.optional("group")?.group(accounts)
  }
}
