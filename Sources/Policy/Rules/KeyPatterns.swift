package import Format

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
  package func covers(_ label: String) -> Bool { KeyPattern.candidates(for: label, depths: depths).contains(where: patterns.contains) }
}

extension Policy {
  /// The keys of all rules that let the caller do `opcode` at this time: each key that some rule would allow, whichever rule comes first.
  package func keys(of caller: Caller, _ opcode: Opcode, at time: Timestamp) -> KeyPatterns {
    KeyPatterns(rules(for: caller, at: time).filter { $0.operations.contains(opcode) }.flatMap(\.keys))
  }
}
