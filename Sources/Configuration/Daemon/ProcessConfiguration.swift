package import Policy

/// `[process]`: which user the daemon becomes if root starts it, and which rights it gives up before it serves.
package struct ProcessConfiguration: Sendable {
  /// nil keeps the user.
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
