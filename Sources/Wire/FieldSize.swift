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
  func check(_ count: Int, of number: UInt32) throws(WireError) {
    guard count <= most else { throw .tooLong(number) }
    guard count >= least || (count == 0 && !isRequired) else { throw .badValue(number) }
  }
}
