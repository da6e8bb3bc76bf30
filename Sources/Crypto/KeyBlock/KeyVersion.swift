/// The key version number in a header (X9.143 §5.3.5): two digits or upper-case letters, or `c` and the number of a component.
package struct KeyVersion: Hashable, Sendable {
  package let first, second: UInt8

  package init?(_ first: UInt8, _ second: UInt8) {
    guard HeaderCode(first == Self.component ? UInt8(ascii: "0") : first, second) != nil else { return nil }
    (self.first, self.second) = (first, second)
  }

  /// `00`: key versioning is not used for this key.
  package static let unused = KeyVersion(trusted: UInt8(ascii: "0"))

  /// Whether this is only a component of a key.
  package var isComponent: Bool { first == Self.component }

  package var characters: [UInt8] { [first, second] }

  private static let component = UInt8(ascii: "c")

  private init(trusted both: UInt8) { (first, second) = (both, both) }
}
