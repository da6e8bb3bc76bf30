/// What a partner wants in the header of each JWE besides `alg`, `enc` and what those need: fixed
/// texts such as `kid` and `typ`, and `iat`.
///
/// Its text has a `name=value` for each, with one space between them. `iat=number` and `iat=text`
/// put the time of the encryption there, in seconds since 1970, as a number (RFC 7519 §2) or in
/// quotes.
package struct JWEMembers: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    /// Printable ASCII that needs no escape in JSON.
    case text(String)
    case timeAsNumber, timeAsText
  }

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: Value
  }

  /// In the order of the text.
  package let members: [Member]

  package static let none = JWEMembers(members: [])

  package var isEmpty: Bool { members.isEmpty }

  private init(members: [Member]) { self.members = members }

  /// Nil unless each is a name of its own, 1 to 32 of `A-Z a-z 0-9 . _ -`, that RFC 7515, 7516 and
  /// 7518 do not use otherwise, and a value of 1 to 255 printable ASCII characters without quote,
  /// backslash and space; 512 bytes in all.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.cap else { return nil }
    guard !text.isEmpty else {
      self = .none
      return
    }
    var members: [Member] = []
    for part in text.split(separator: " ", omittingEmptySubsequences: false) {
      guard let member = Member(part), !members.contains(where: { $0.name == member.name }) else {
        return nil
      }
      members.append(member)
    }
    self.members = members
  }

  package var text: String { members.map(\.text).joined(separator: " ") }

  /// In bytes.
  package static let cap = 512
}

extension JWEMembers.Member {
  fileprivate init?(_ part: Substring) {
    guard let equals = part.firstIndex(of: "=") else { return nil }
    let name = String(part[..<equals])
    let value = String(part[part.index(after: equals)...])
    guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameCharacter),
      !Self.reserved.contains(name)
    else { return nil }
    guard (1...255).contains(value.utf8.count), value.utf8.allSatisfy(Self.isValueCharacter) else {
      return nil
    }
    self.name = name
    guard name == "iat" else {
      self.value = .text(value)
      return
    }
    switch value {
    case "number": self.value = .timeAsNumber
    case "text": self.value = .timeAsText
    default: return nil
    }
  }

  fileprivate var text: String {
    switch value {
    case .text(let value): "\(name)=\(value)"
    case .timeAsNumber: "\(name)=number"
    case .timeAsText: "\(name)=text"
    }
  }

  /// What means something to whoever decrypts, or names keys that did not encrypt.
  private static let reserved: Set<String> = [
    "alg", "enc", "zip", "crit", "b64", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c", "jku",
    "jwk", "x5u", "x5c", "x5t",
  ]

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private static func isValueCharacter(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
