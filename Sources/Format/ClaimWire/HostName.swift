/// The name of a host of the fleet: 1 to 32 of `a-z`, `0-9` and `-`.
package struct HostName: Hashable, Sendable {
  package let text: String

  package init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  package init?(_ bytes: Span<UInt8>) { self.init(String(decoding: bytes.array, as: UTF8.self)) }

  package static let lengths = 1...32

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
