/// The callers that a grant names.
///
/// Every kind that is stated (not empty) must match: one of its users, *and* one of its groups, *and* one of its
/// units, *and* one of its executables. A kind that is not stated matches every caller, with one exception: root
/// matches only if `users` names it. Units and executables do not identify an account, so a rule must also state
/// users or groups.
package struct CallerRule: Hashable, Sendable {
  package let users: [Principal]
  package let groups: [Principal]
  /// systemd units, such as `acme-gateway.service`.
  package let units: [String]
  /// Absolute paths.
  package let executables: [String]

  package init(users: [Principal] = [], groups: [Principal] = [], units: [String] = [], executables: [String] = []) {
    (self.users, self.groups, self.units, self.executables) = (users, groups, units, executables)
  }

  /// Whether a grant can name this unit: printable ASCII, so that it compares byte for byte with what the kernel reports.
  package static func isUnit(_ name: String) -> Bool { isPlainName(name) }

  static func isPlainName(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether it states users or groups.
  var namesAccounts: Bool { !users.isEmpty || !groups.isEmpty }

  /// Whether it needs a kernel with `SO_PEERPIDFD`.
  package var asksForProcess: Bool { !units.isEmpty || !executables.isEmpty }
}

extension Caller {
  /// Whether the kernel could not identify the caller.
  var isOverflow: Bool { uid == Principal.overflow || gid == Principal.overflow }

  /// The primary group and the supplementary ones that count; empty for a subordinate uid, which keeps its owner's groups.
  package var allGroups: [UInt32] {
    guard owner == nil else { return [] }
    return revoked.isEmpty ? [gid] + groups : ([gid] + groups).filter { !revoked.contains($0) }
  }
}

/// Names compare as bytes.
///
/// `String` treats canonically equivalent texts as equal (the Kelvin sign and `K`), but the kernel does not. Names in
/// policies are ASCII, so any other name matches nothing.
extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
