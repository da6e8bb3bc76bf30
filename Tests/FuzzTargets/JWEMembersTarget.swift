import Format

/// What an operator wants in the headers of a partner's JWEs, as `--jwe-members` and a key's
/// attributes have it.
enum JWEMembersTarget: FuzzTarget {
  static let name = "jwe-members"
  static let byteLimit = 1024

  static func seeds() throws -> [[UInt8]] {
    [
      "", "kid=acquirer-1 typ=JOSE iat=number", "iat=text", "x-a.b_c=%7B%7D", "a=b=c",
      "kid=\(String(repeating: "k", count: 255))", "alg=none", "a=b a=c",
      "a=b  c=d", "a=\"b\"", "iat=1", String(repeating: "n", count: 33) + "=v",
      String(repeating: "a=b ", count: 256),
    ].map { Array($0.utf8) }
  }

  static func run(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    guard let taken = JWEMembers(text) else { throw Refusal() }
    try promise(
      taken.text == text && text.utf8.count <= JWEMembers.cap, "members have another text")
    try promise(JWEMembers(taken.text) == taken, "members are not those of their text")
    try promise(Set(taken.members.map(\.name)).count == taken.members.count, "a name stands twice")
    for member in taken.members {
      try promise(
        !["alg", "enc", "zip", "crit", "epk"].contains(member.name),
        "a member takes the place of \(member.name)")
      guard case .text(let value) = member.value else { continue }
      // Both stand in a JSON string as they are.
      let quoted = (member.name + value).utf8.contains {
        $0 <= 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
      }
      try promise(!quoted && member.name != "iat", "a member ends the JSON string that it is in")
    }
  }

  private struct Refusal: Error {}
}
