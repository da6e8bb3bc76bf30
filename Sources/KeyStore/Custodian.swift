internal import Encoding

/// A person who holds a share, and the local user as whom that person hands it in.
package struct Custodian: Hashable, Sendable {
  package let name: String
  package let user: String

  /// Nil for a name that is empty, longer than 64 bytes or not printable, and for what `useradd` takes for no user's name.
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
