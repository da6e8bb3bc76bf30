internal import Encoding
internal import Wire

/// What was decoded, written as the vectors list it: present fields in the order of their numbers.
struct Listing {
  private(set) var lines: [String] = []
  private var prefix = ""

  mutating func bytes(_ name: String, _ value: Span<UInt8>) {
    guard !value.isEmpty else { return }
    always(name, "hex:\(Hex.encode(value))")
  }

  mutating func text(_ name: String, _ value: Span<UInt8>) { text(name, String(decoding: value.array, as: UTF8.self)) }

  mutating func text(_ name: String, _ value: String) {
    guard !value.isEmpty else { return }
    always(name, "text:\(value)")
  }

  mutating func texts(_ name: String, _ values: [String]) {
    for (i, value) in values.enumerated() { always("\(name)[\(i)]", "text:\(value)") }
  }

  mutating func number(_ name: String, _ value: some BinaryInteger) {
    guard value != 0 else { return }
    always(name, "\(value)")
  }

  /// A field that can be present and zero.
  mutating func optional(_ name: String, _ value: UInt64?) {
    guard let value else { return }
    always(name, "\(value)")
  }

  mutating func flag(_ name: String, _ value: Bool) {
    guard value else { return }
    always(name, "true")
  }

  mutating func nested(_ name: String, _ body: (inout Listing) -> Void) {
    let outer = prefix
    prefix += name + "."
    body(&self)
    prefix = outer
  }

  mutating func always(_ name: String, _ value: String) { lines.append("\(prefix)\(name) = \(value)") }
}
