/// A key's human-readable name, such as `merchant/acme/processing-2026`. [KS-LABEL]
///
/// `[a-z0-9-]+(/[a-z0-9.-]+)*`, at most 128 characters, no segment `.` or `..`: no spelling variants, no escaping, and prefixes for policy.
package struct KeyLabel: Hashable, Sendable {
  package let text: String

  package init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 128, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.allowed) }) else { return nil }
    guard let first = parts.first, !first.contains(Self.dot) else { return nil }
    // Policy patterns cannot have such segments.
    guard !parts.contains(where: { $0.elementsEqual([Self.dot]) || $0.elementsEqual([Self.dot, Self.dot]) }) else { return nil }
    self.text = String(text)
  }

  private static let dot = UInt8(ascii: ".")

  private static func allowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), dot: true
    default: false
    }
  }
}

extension KeyLabel: CustomStringConvertible {
  package var description: String { text }
}
