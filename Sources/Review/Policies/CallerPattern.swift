package import Policy

/// One user, group and unit of those that a grant names: the least that a caller must be for the
/// grant to cover it.
///
/// A grant also covers callers that are more than that. So two policies that agree on each of their
/// patterns, and on each two of them together, agree on every caller.
package struct CallerPattern: Hashable, Sendable {
  package private(set) var user: Principal?
  package private(set) var groups: Set<Principal>
  package private(set) var unit, executable: String?

  /// All patterns that the rule covers.
  static func all(of callers: CallerRule) -> [CallerPattern] {
    func stated<T>(_ values: [T]) -> [T?] { values.isEmpty ? [nil] : values }
    var patterns: [CallerPattern] = []
    for user in stated(callers.users) {
      for group in stated(callers.groups) {
        for unit in stated(callers.units) {
          for executable in stated(callers.executables) {
            patterns.append(
              CallerPattern(
                user: user, groups: group.map { [$0] } ?? [], unit: unit, executable: executable))
          }
        }
      }
    }
    return patterns
  }

  /// The pattern of callers that match both; nil if none can.
  func merged(with other: CallerPattern) -> CallerPattern? {
    func both<T: Equatable>(_ a: T?, _ b: T?) -> T?? {
      guard let a, let b else { return .some(a ?? b) }
      return a == b ? .some(a) : nil
    }
    guard let user = both(user, other.user), let unit = both(unit, other.unit),
      let executable = both(executable, other.executable)
    else { return nil }
    return CallerPattern(
      user: user, groups: groups.union(other.groups), unit: unit, executable: executable)
  }

  /// Whether this covers every caller that `other` covers; only a pattern that names root covers
  /// root.
  func includes(_ other: CallerPattern) -> Bool {
    (user == nil ? other.user?.id != Principal.root : user == other.user)
      && groups.isSubset(of: other.groups) && (unit == nil || unit == other.unit)
      && (executable == nil || executable == other.executable)
  }

  /// A caller that matches this pattern and nothing more.
  ///
  /// - Parameter nobody: a number that is no user or group of any policy.
  func caller(nobody: UInt32) -> Caller {
    Caller(
      uid: user?.id ?? nobody, gid: nobody, groups: groups.map(\.id).sorted(), pid: 0, unit: unit,
      executable: executable)
  }
}

extension CallerPattern: CustomStringConvertible {
  /// `user 1001 acme in group 2001 of acme.service`.
  package var description: String {
    var words = [user.map { "user \($0)" } ?? "anybody"]
    if !groups.isEmpty {
      let names = groups.sorted { $0.id < $1.id }.map(\.description)
      words.append("in group\(names.count == 1 ? "" : "s") \(names.joined(separator: " and "))")
    }
    if let unit { words.append("of \(unit)") }
    if let executable { words.append("by \(executable)") }
    return words.joined(separator: " ")
  }
}
