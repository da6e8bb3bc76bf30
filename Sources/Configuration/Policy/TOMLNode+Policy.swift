package import Format
import Policy

// The parts of grants, also for other files that name them.

extension TOMLTable {
  /// The elements of an array without repetitions; empty if the key is absent, but an empty array
  /// is an error.
  package func list<T: Hashable>(
    _ key: String, _ expected: String, _ decode: (TOMLNode) throws(ConfigurationError) -> T
  ) throws(ConfigurationError) -> [T] {
    var mistakes = Mistakes()
    let decoded = list(key, expected, &mistakes, decode)
    if let first = mistakes.all.first { throw first }
    return decoded
  }

  /// The same without the elements that are mistakes.
  func list<T: Hashable>(
    _ key: String, _ expected: String, _ mistakes: inout Mistakes,
    _ decode: (TOMLNode) throws(ConfigurationError) -> T
  ) -> [T] {
    guard let node = optional(key),
      let elements = mistakes.attempt(try node.array(expected))
    else { return [] }
    if elements.isEmpty {
      mistakes.add([node.unfit("empty", "one or more \(expected), or no such key")])
    }
    var decoded: [T] = []
    var seen: Set<T> = []
    for element in elements {
      guard let value = mistakes.attempt(try decode(element)) else { continue }
      if seen.insert(value).inserted {
        decoded.append(value)
      } else {
        mistakes.add([element.error("is listed twice in '\(key)'; expected once")])
      }
    }
    return decoded
  }
}

extension TOMLNode {
  package func operation() throws(ConfigurationError) -> Opcode {
    try text(oneOf: Opcode.grantable.map(\.name)) { Opcode(name: $0) }
  }

  func keyPattern() throws(ConfigurationError) -> KeyPattern {
    try text(
      "a key label such as \"merchant/acme/processing-2026\", or a prefix such as \"merchant/acme/*\""
    ) { KeyPattern($0) }
  }

  func rate() throws(ConfigurationError) -> Rate {
    try text("a rate such as \"100/s\", \"600/m\" or \"20/h\", at most 1000000") { Rate($0) }
  }

  func quota() throws(ConfigurationError) -> Quota {
    try text("a quota such as \"5000/d\" or \"20000/w\", at most 1000000000") { Quota($0) }
  }

  /// A day means its first moment.
  package func moment() throws(ConfigurationError) -> Timestamp {
    try text("a moment of UTC such as \"2026-12-01\" or \"2026-12-01T09:30:00Z\"") { text in
      guard let moment = Timestamp(text) ?? Timestamp(text + "T00:00:00Z"),
        moment.wholeSeconds.hasPrefix(text)
      else { return nil }
      return moment
    }
  }

  func hours() throws(ConfigurationError) -> WeeklyHours {
    try text(
      "hours of UTC such as \"mon-fri 08:00-18:00\" or \"22:00-24:00\", those past midnight as two"
    ) { WeeklyHours($0) }
  }
}
