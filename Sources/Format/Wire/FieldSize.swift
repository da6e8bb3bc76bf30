/// How many bytes a field takes.
package struct FieldSize: Hashable, Sendable {
  /// Of a field that is there.
  package let least: Int
  package let most: Int
  /// Whether the field must be there.
  package let isRequired: Bool

  package static let any = atMost(.max)
  package static func atMost(_ most: Int) -> FieldSize { FieldSize(least: 0, most: most, isRequired: false) }
  package static func absentOr(_ count: Int) -> FieldSize { FieldSize(least: count, most: count, isRequired: false) }
  package static func exactly(_ count: Int) -> FieldSize { FieldSize(least: count, most: count, isRequired: true) }
  package static func oneTo(_ most: Int) -> FieldSize { FieldSize(least: 1, most: most, isRequired: true) }

  /// - Throws: `WireError.tooLong` for more bytes than the field takes, `.badValue` for fewer.
  func check(_ count: Int, of number: UInt32, _ name: String) throws(WireError) {
    guard count <= most else { throw .tooLong(flawed(count, number, name)) }
    guard count >= least || (count == 0 && !isRequired) else { throw .badValue(flawed(count, number, name)) }
  }

  func flawed(_ count: Int, _ number: UInt32, _ name: String) -> WireField {
    WireField(number, name, count == 0 ? "is missing" : "has \(count) bytes; it takes \(self)")
  }
}

extension FieldSize: CustomStringConvertible {
  /// Such as `32`, `1 to 64`, `at most 64`.
  package var description: String { least == most ? "\(most)" : least == 0 ? "at most \(most)" : "\(least) to \(most)" }
}
