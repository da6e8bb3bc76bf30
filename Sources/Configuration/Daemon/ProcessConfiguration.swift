package import Policy

/// `[process]`: who the daemon becomes when root started it, and what it gives up before it serves.
package struct ProcessConfiguration: Sendable {
  /// nil stays who it is.
  package let user: Principal?
  package let group: Principal?
  /// Whether a system call that serving does not need ends the process.
  package let seccomp: Bool
  /// Whether the process can open nothing but its own directories.
  package let landlock: Bool

  init(_ table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    user = try table.optional("user")?.user(accounts)
    group = try table.optional("group")?.group(accounts)
    seccomp = try table.optional("seccomp")?.boolean() ?? true
    landlock = try table.optional("landlock")?.boolean() ?? true
  }
}
