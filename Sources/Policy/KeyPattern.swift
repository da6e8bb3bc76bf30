/// The keys a grant names: one exact label, or every label under a prefix.
package enum KeyPattern: Hashable, Sendable {
  /// `merchant/acme/processing-2026`
  case label(String)
  /// `merchant/acme/*` as `merchant/acme/`, and `*`, every key, as the empty prefix.
  case prefix(String)

  /// From a label whose segments are letters, digits and `.`, `_`, `-`, `@`; the last may be `*`.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumByteCount else { return nil }
    var segments = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPrefix = segments.last == "*"
    if isPrefix { segments.removeLast() }
    guard segments.allSatisfy(Self.isSegment) else { return nil }
    self = isPrefix ? .prefix(String(text.dropLast())) : .label(text)
  }

  package static let maximumByteCount = 128

  /// Whether the key of this label is meant.
  package func covers(_ label: String) -> Bool { Self.covering(label).contains(self) }

  /// Every pattern that covers `label`: itself, then its prefixes from the longest to the empty one.
  static func covering(_ label: String) -> [KeyPattern] {
    guard label.isASCII else { return [] }
    let slashes = label.utf8.indices.filter { label.utf8[$0] == UInt8(ascii: "/") }
    return [.label(label)] + slashes.reversed().map { .prefix(String(label[...$0])) } + [.prefix("")]
  }

  private static func isSegment(_ segment: Substring) -> Bool {
    !segment.isEmpty && segment != "." && segment != ".."
      && segment.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "@"): true
        default: false
        }
      }
  }
}

extension KeyPattern: CustomStringConvertible {
  /// As the policy file writes it.
  package var description: String {
    switch self {
    case .label(let label): label
    case .prefix(let prefix): prefix + "*"
    }
  }
}
