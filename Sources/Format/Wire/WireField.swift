/// The field that a `WireError` is about; two are the same if they have the same number.
package struct WireField: Sendable, ExpressibleByIntegerLiteral {
  package let number: UInt32
  /// As the schema has it; empty where only the number is known.
  let name: String
  /// What is wrong with it, to follow its name.
  let flaw: String

  package init(_ number: UInt32, _ name: String, _ flaw: String) { (self.number, self.name, self.flaw) = (number, name, flaw) }

  init(_ number: UInt32, _ name: String, _ value: Int, outside range: ClosedRange<Int>) {
    self.init(number, name, value == 0 ? "is missing" : "is \(value); it takes \(range.lowerBound) to \(range.upperBound)")
  }

  package init(integerLiteral number: UInt32) { self.init(number, "", "is not as it must be") }
}

extension WireField: Hashable {
  package static func == (a: WireField, b: WireField) -> Bool { a.number == b.number }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension WireField: CustomStringConvertible {
  /// Such as `transaction_id has 31 bytes; it takes 32`.
  package var description: String { (name.isEmpty ? "field \(number)" : name) + " " + flaw }
}
