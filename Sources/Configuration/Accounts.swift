import Glibc

/// Looks up the numbers of user and group names; tests supply their own.
package struct Accounts: Sendable {
  package let uid: @Sendable (String) -> UInt32?
  package let gid: @Sendable (String) -> UInt32?
  /// A user's primary group, then the others it is a member of; nil for an unknown user.
  package let groups: @Sendable (String) -> [UInt32]?
  /// The name of the user with a number; nil for an unknown one.
  package let userName: @Sendable (UInt32) -> String?

  package init(
    uid: @escaping @Sendable (String) -> UInt32?, gid: @escaping @Sendable (String) -> UInt32?,
    groups: @escaping @Sendable (String) -> [UInt32]? = { _ in nil },
    userName: @escaping @Sendable (UInt32) -> String? = { _ in nil }
  ) {
    self.uid = uid
    self.gid = gid
    self.groups = groups
    self.userName = userName
  }

  /// The system's own, through NSS.
  package static let system = Accounts(
    uid: { user(named: $0)?.uid },
    gid: { group(named: $0) },
    groups: { name in user(named: name).map { memberships(of: name, primary: $0.gid) } },
    userName: { name(ofUser: $0) })

  private static func user(named name: String) -> (uid: UInt32, gid: UInt32)? {
    lookUp { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
      return unsafe (code, found == nil ? nil : (entry.pw_uid, entry.pw_gid))
    }
  }

  private static func name(ofUser uid: UInt32) -> String? {
    lookUp { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
      return unsafe (code, found == nil ? nil : String(cString: entry.pw_name))
    }
  }

  private static func group(named name: String) -> UInt32? {
    lookUp { buffer in
      var entry = unsafe Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let code = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
      return unsafe (code, found == nil ? nil : entry.gr_gid)
    }
  }

  private static func memberships(of name: String, primary: UInt32) -> [UInt32] {
    var count: Int32 = 65_536  // NGROUPS_MAX
    var groups = [UInt32](repeating: 0, count: Int(count))
    guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else { return [primary] }
    return Array(groups.prefix(Int(count)))
  }

  /// Repeats with a larger buffer while the entry does not fit, up to 1 MiB.
  private static func lookUp<T>(_ attempt: (inout [CChar]) -> (code: Int32, found: T?)) -> T? {
    var size = 4096
    while size <= 1 << 20 {
      var buffer = [CChar](repeating: 0, count: size)
      let (code, found) = attempt(&buffer)
      if code != ERANGE { return code == 0 ? found : nil }
      size *= 4
    }
    return nil
  }
}
