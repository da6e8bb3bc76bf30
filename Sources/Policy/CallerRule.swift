/// The callers a grant names.
///
/// Each kind that is stated (not empty) must match: any one of its users, *and* any one of its groups,
/// *and* any one of its units, *and* any one of its executables.  A kind that is not stated asks nothing,
/// with one exception: root matches only where `users` names it. Units and executables are no accounts:
/// a rule states users or groups besides.
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

  /// Whether a grant can name such a unit: printable ASCII, since what the kernel shows compares byte for byte.
  package static func isUnit(_ name: String) -> Bool { isPlainName(name) }

  static func isPlainName(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether it names accounts at all.
  var namesAccounts: Bool { !users.isEmpty || !groups.isEmpty }

  /// Whether it asks what only a kernel with `SO_PEERPIDFD` tells.
  package var asksForProcess: Bool { !units.isEmpty || !executables.isEmpty }
}

extension Caller {
  /// Whether the kernel could not say who this is.
  package var isOverflow: Bool { uid == Principal.overflow || gid == Principal.overflow }

  /// The primary group and then the supplementary ones; none for a subordinate uid, which keeps those of its owner.
  var allGroups: [UInt32] { owner == nil ? [gid] + groups : [] }
}

/// Names compare as bytes.
///
/// `String` takes canonically equivalent texts for equal (the Kelvin sign for `K`), the kernel does not;
/// policy names are ASCII, so a name that is not matches nothing.
extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
