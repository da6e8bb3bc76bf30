package import Format

/// The keys that a grant names: one exact label, or every label under a prefix.
package enum KeyPattern: Hashable, Sendable {
  /// `merchant/acme/processing-2026`
  case label(String)
  /// `merchant/acme/*` as `merchant/acme/`, and `*`, every key, as the empty prefix.
  case prefix(String)

  /// Parses a label whose segments consist of letters, digits and `.`, `_`, `-`, `@`; the last
  /// segment may be `*`.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumByteCount else { return nil }
    var segments = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPrefix = segments.last == "*"
    if isPrefix { segments.removeLast() }
    guard segments.allSatisfy(Self.isSegment) else { return nil }
    self = isPrefix ? .prefix(String(text.dropLast())) : .label(text)
  }

  package static let maximumByteCount = 128

  /// Whether the pattern covers the key with this label.
  package func covers(_ label: String) -> Bool {
    switch self {
    case .label(let own): label.utf8.elementsEqual(own.utf8)
    case .prefix(let prefix): label.utf8.starts(with: prefix.utf8)
    }
  }

  /// The number of whole segments in a prefix; nil for a label.
  var depth: Int? {
    switch self {
    case .label: nil
    case .prefix(let prefix): prefix.utf8.count { $0 == UInt8(ascii: "/") }
    }
  }

  /// The patterns that can cover a label: itself and its prefixes of these depths. For a depth that
  /// it does not have, the label again.
  static func candidates(for label: String, depths: [Int]) -> [KeyPattern] {
    guard label.isASCII else { return [] }
    let slashes = label.utf8.indices.filter { label.utf8[$0] == UInt8(ascii: "/") }
    return [.label(label)]
      + depths.map { depth in
        guard depth > 0 else { return .prefix("") }
        return depth <= slashes.count
          ? .prefix(String(label[...slashes[depth - 1]])) : .label(label)
      }
  }

  private static func isSegment(_ segment: Substring) -> Bool {
    !segment.isEmpty && segment != "." && segment != ".."
      && segment.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "@"): true
        default: false
        }
      }
  }
}

extension KeyPattern: CustomStringConvertible {
  /// The form in the policy file.
  package var description: String {
    switch self {
    case .label(let label): label
    case .prefix(let prefix): prefix + "*"
    }
  }
}

/// The keys that several grants name together.
package struct KeyPatterns: Sendable {
  private let patterns: Set<KeyPattern>
  /// The distinct depths of the prefixes.
  private let depths: [Int]

  init(_ patterns: [KeyPattern]) {
    self.patterns = Set(patterns)
    depths = Set(patterns.compactMap(\.depth)).sorted()
  }

  /// Whether one of the patterns covers the key with this label.
  package func covers(_ label: String) -> Bool {
    KeyPattern.candidates(for: label, depths: depths).contains(where: patterns.contains)
  }
}

extension Policy {
  /// The keys of all rules that let the caller do `opcode` at this time: each key that some rule
  /// would allow, whichever rule comes first.
  package func keys(of caller: Caller, _ opcode: Opcode, at time: Timestamp) -> KeyPatterns {
    KeyPatterns(
      rules(for: caller, at: time).filter { $0.operations.contains(opcode) }.flatMap(\.keys))
  }
}
