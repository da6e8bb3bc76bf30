/// The key version number of a header (X9.143 §5.3.5): two digits or upper-case letters, or `c` and a component's number.
package struct KeyVersion: Hashable, Sendable {
  package let first, second: UInt8

  package init?(_ first: UInt8, _ second: UInt8) {
    guard HeaderCode(first == Self.component ? UInt8(ascii: "0") : first, second) != nil else { return nil }
    (self.first, self.second) = (first, second)
  }

  /// `00`: key versioning is not used for this key.
  package static let unused = KeyVersion(trusted: UInt8(ascii: "0"))

  /// Whether the key is one component of a key and not the key.
  package var isComponent: Bool { first == Self.component }

  package var characters: [UInt8] { [first, second] }

  private static let component = UInt8(ascii: "c")

  private init(trusted both: UInt8) { (first, second) = (both, both) }
}
