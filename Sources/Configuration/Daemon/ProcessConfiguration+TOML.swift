internal import Policy

extension ProcessConfiguration {
  init(_ table: TOMLTable, _ accounts: Accounts) throws(ConfigurationError) {
    self.init()
    user = try table.optional("user")?.user(accounts)
    group = try table.optional("group")?.group(accounts)
    seccomp = try table.optional("seccomp")?.boolean() ?? true
    landlock = try table.optional("landlock")?.boolean() ?? true
  }
}
