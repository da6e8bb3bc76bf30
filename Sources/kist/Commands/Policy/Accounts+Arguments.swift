internal import Configuration
internal import Review

extension Accounts {
  /// For commands that read policy files on a machine other than their host.
  static let options: [Option] = [.value("users"), .value("groups"), .flag("no-accounts")]

  /// This host's accounts, unless the options name others.
  init(_ arguments: Arguments) throws(CommandFailure) {
    let (users, groups) = (arguments.value("users"), arguments.value("groups"))
    guard arguments.has("no-accounts") else {
      guard users != nil || groups != nil else {
        self = .system
        return
      }
      do throws(ConfigurationError) { self = try .files(users: users, groups: groups) } catch { throw .misconfigured(error) }
      return
    }
    guard users == nil, groups == nil else { throw .usage("--no-accounts goes with neither --users nor --groups") }
    self = .anyName()
  }
}
