/// An enum whose cases have names in policy, in the audit log and on the command line.
package protocol Named: CaseIterable {
  var name: String { get }
}

extension Named {
  package init?(name: some StringProtocol) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// The names of an enum's cases: as they stand in the source, in lower case and with hyphens, so that `leafMarker` is `leaf-marker`.
///
/// To rename a case is to change a format; tests compare the names with `proto/`.
struct CaseNames<Case: CaseIterable & RawRepresentable>: Sendable where Case.RawValue: BinaryInteger {
  /// By the cases' numbers.
  private let names: [String]

  init() {
    let last = Case.allCases.map(\.rawValue).max() ?? 0
    var names = [String](repeating: "", count: Int(last) + 1)
    for named in Case.allCases { names[Int(named.rawValue)] = Self.hyphenated(Array(String(describing: named))) }
    self.names = names
  }

  subscript(_ named: Case) -> String { names[Int(named.rawValue)] }

  /// A word begins with a capital that follows none, or that a small letter follows: `otherKEK`, `resetOTPLockout`.
  private static func hyphenated(_ identifier: [Character]) -> String {
    var name = ""
    for (i, letter) in identifier.enumerated() {
      let begins = i > 0 && letter.isUppercase && (!identifier[i - 1].isUppercase || identifier[(i + 1)...].first?.isLowercase == true)
      name += begins ? "-" + letter.lowercased() : letter.lowercased()
    }
    return name
  }
}
