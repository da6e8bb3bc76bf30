internal import Format
internal import Policy

/// A question that stands for every request of its kind: by any caller that the pattern covers, with any key that the pattern names.
struct Probe: Hashable, Sendable {
  let who: CallerPattern
  let opcode: Opcode
  /// nil if no key is named.
  let key: KeyPattern?
  let question: Question

  /// One for each key and moment.
  static func all(_ who: CallerPattern, _ opcode: Opcode, _ keys: [KeyPattern?], at times: [Timestamp], nobody: UInt32) -> [Probe] {
    let caller = who.caller(nobody: nobody)
    return keys.flatMap { key in
      times.map { Probe(who: who, opcode: opcode, key: key, question: Question(caller, opcode, label: key?.sample, at: $0)) }
    }
  }
}

extension KeyPattern {
  /// A label that this pattern covers and no narrower one does.
  fileprivate var sample: String {
    switch self {
    case .label(let label): label
    // No pattern can name this label, since labels cannot contain '?'.
    case .prefix(let prefix): prefix + "?"
    }
  }

  /// The labels that both cover; nil if there are none.
  func merged(with other: KeyPattern) -> KeyPattern? {
    switch (self, other) {
    case (.label(let label), _): other.covers(label) ? self : nil
    case (_, .label(let label)): covers(label) ? other : nil
    case (.prefix(let a), .prefix(let b)): a.hasPrefix(b) ? self : b.hasPrefix(a) ? other : nil
    }
  }

  func includes(_ other: KeyPattern) -> Bool { merged(with: other) == other }
}

extension Rule {
  /// The keys with which `opcode` can be requested under this rule, or that it lists.
  func keys(for opcode: Opcode) -> [KeyPattern?] {
    switch opcode.traits.key {
    case .never: [nil]
    case .optional, .covered: [nil] + keys.map(KeyPattern?.some)
    case .required: keys.map(KeyPattern?.some)
    }
  }
}
