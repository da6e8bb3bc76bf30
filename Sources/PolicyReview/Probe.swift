internal import Encoding
internal import Policy
internal import Wire

/// A question that stands for every request of its kind: of whoever the pattern covers, with whatever key the pattern names.
struct Probe: Hashable, Sendable {
  let who: CallerPattern
  let opcode: Opcode
  /// nil where no key is named.
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
  /// A label that it covers and no narrower pattern does.
  fileprivate var sample: String {
    switch self {
    case .label(let label): label
    // No pattern can name it: '?' is no character of labels.
    case .prefix(let prefix): prefix + "?"
    }
  }

  /// The labels of both; nil where there are none.
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
  /// The keys with which `opcode` can be asked for under this rule.
  func keys(for opcode: Opcode) -> [KeyPattern?] {
    switch opcode.keyUse {
    case .never, .listing: [nil]
    case .optional: [nil] + keys.map(KeyPattern?.some)
    case .required: keys.map(KeyPattern?.some)
    }
  }
}
