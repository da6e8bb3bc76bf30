import CLinux
package import Format
package import Host
package import Policy

extension SettingsFrame {
  /// Reads configuration, policy and accounts and checks them together, so that a start or a reload
  /// takes all of them or none.
  ///
  /// - Parameter path: absolute.
  package static func read(_ path: String, accounts: Accounts = .system) throws(StartFailure)
    -> SettingsFrame
  {
    do throws(ConfigurationError) {
      let configuration = try DaemonConfiguration.load(path, accounts: accounts)
      let policy = try PolicyDirectory.load(
        configuration.policyDirectory, accounts: accounts, changedBy: configuration.process.user?.id
      )
      try checkExecutables(policy.rules, configuration)
      warnOfProcesses(policy.rules)
      return SettingsFrame(configuration, policy, try AccountTable.told(accounts))
    } catch { throw StartFailure(error) }
  }

  /// Under landlock a process may not follow /proc/PID/exe of one outside it, so a grant that names
  /// executables would match nobody.
  private static func checkExecutables(_ rules: [Rule], _ configuration: DaemonConfiguration)
    throws(ConfigurationError)
  {
    guard configuration.process.landlock,
      let rule = rules.first(where: { !$0.callers.executables.isEmpty })
    else { return }
    throw ConfigurationError(
      file: configuration.policyDirectory,
      "grant \"\(rule.id)\": landlock hides callers' executables from the daemon; name 'units' instead, or set process.landlock = false"
    )
  }

  /// Warns of grants that name units or executables, which match nobody on a kernel that cannot
  /// identify the calling process.
  private static func warnOfProcesses(_ rules: [Rule]) {
    guard kist_has_peer_pidfd() != 1 else { return }
    for rule in rules where rule.callers.asksForProcess {
      Diagnostics.write(
        .warning, "grant-never-matches",
        [
          ("grant", rule.id),
          (
            "meaning",
            "this kernel does not tell a caller's unit or executable (SO_PEERPIDFD, Linux 6.5); name users or groups alone"
          ),
        ])
    }
  }
}

extension AccountTable {
  /// Those of this host, with a warning for what newuidmap would not take from subuid(5), or would
  /// look for elsewhere.
  package static func told(_ accounts: Accounts) throws(ConfigurationError) -> AccountTable {
    let (table, unreadLines) = try host(accounts)
    if let source = try SubordinateUsers.unreadSource() {
      Diagnostics.write(
        .warning, "subordinate-users-unknown",
        [
          ("source", source),
          (
            "meaning",
            "nsswitch.conf has newuidmap ask there, and kistd reads \(SubordinateUsers.path) alone; list operators' ranges in it, too"
          ),
        ])
    }
    if !unreadLines.isEmpty {
      Diagnostics.write(
        .warning, "subordinate-lines-unread",
        [
          ("lines", unreadLines.prefix(16).map(String.init).joined(separator: " ")),
          (
            "meaning",
            "these lines of \(SubordinateUsers.path) give nobody an id, as newuidmap reads them"
          ),
        ])
    }
    return table
  }
}

extension Message {
  /// What is handed to `kistd-keys`.
  package func bytes() throws(StartFailure) -> [UInt8] {
    do throws(WireError) { return try encoded() } catch {
      throw StartFailure(
        .configuration, "configuration, policy or accounts are more than kistd-keys takes: \(error)"
      )
    }
  }
}

extension StartFailure {
  package init(_ error: ConfigurationError) { self.init(.configuration, error.description) }
}
