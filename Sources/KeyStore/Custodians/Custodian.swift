internal import Format

/// A person who holds a share, and the local user under which that person submits it.
package struct Custodian: Hashable, Sendable {
  package let name: String
  package let user: String

  /// Nil if the name is empty, longer than 64 bytes or not printable, or if `useradd` would refuse the user's name.
  package init?(name: String, user: String) {
    let isUser = user.utf8.allSatisfy { character in
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
    guard (1...64).contains(name.utf8.count), Printable.isLine(name), (1...32).contains(user.utf8.count), isUser, user.first?.isNumber == false,
      user.first != "-"
    else {
      return nil
    }
    (self.name, self.user) = (name, user)
  }
}
