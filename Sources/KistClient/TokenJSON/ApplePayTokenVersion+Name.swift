package import Format

extension ApplePayTokenVersion {
  package init?(name: some StringProtocol) {
    guard let version = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = version
  }
}
