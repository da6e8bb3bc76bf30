package import Encoding
internal import Policy
package import Wire

// What grants are made of, for those who write about grants as well.

extension TOMLTable {
  /// The elements of an array without repetitions; empty where there is none, but never written empty.
  package func list<T: Hashable>(
    _ key: String, _ expected: String, _ decode: (TOMLNode) throws(ConfigurationError) -> T
  ) throws(ConfigurationError) -> [T] {
    guard let node = optional(key) else { return [] }
    let elements = try node.array(expected)
    guard !elements.isEmpty else { throw node.unfit("empty", "one or more \(expected), or no such key") }
    var decoded: [T] = []
    var seen: Set<T> = []
    for element in elements {
      let value = try decode(element)
      guard seen.insert(value).inserted else { throw element.error("stands twice in '\(key)'; expected once") }
      decoded.append(value)
    }
    return decoded
  }
}

extension TOMLNode {
  package func operation() throws(ConfigurationError) -> Opcode {
    try text("one of \(Opcode.allCases.filter { $0 != .ping }.map(\.name).joined(separator: ", "))") { Opcode(name: $0) }
  }

  func keyPattern() throws(ConfigurationError) -> KeyPattern {
    try text("a key label such as \"merchant/acme/processing-2026\", or a prefix such as \"merchant/acme/*\"") { KeyPattern($0) }
  }

  func quota() throws(ConfigurationError) -> Quota {
    try text("a quota such as \"5000/d\" or \"20000/w\", at most 1000000000") { Quota($0) }
  }

  /// A day stands for its first moment.
  package func moment() throws(ConfigurationError) -> Timestamp {
    try text("a moment of UTC such as \"2026-12-01\" or \"2026-12-01T09:30:00Z\"") { text in
      guard let moment = Timestamp(text) ?? Timestamp(text + "T00:00:00Z"), moment.wholeSeconds.hasPrefix(text) else { return nil }
      return moment
    }
  }

  func hours() throws(ConfigurationError) -> WeeklyHours {
    try text("hours of UTC such as \"mon-fri 08:00-18:00\" or \"22:00-24:00\", those past midnight as two") { WeeklyHours($0) }
  }
}
