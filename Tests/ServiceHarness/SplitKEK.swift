import Ceremony
package import Crypto
import Format
import Host
package import KeyStore
import KistClient
package import Policy
import TestSupport

/// A KEK that is split two of three, and its custodians: users 1, 2 and 3.
package struct SplitKEK: Sendable {
  package let bytes: [UInt8]
  /// Every custodian's share, as it is handed in.
  package let parts: [[UInt8]]
  package let register: CustodianRegister

  package init(_ kek: [UInt8]) throws {
    let shares = try Self.split(kek)
    bytes = kek
    parts = try Self.parts(of: shares)
    register = try Self.register(shares, users: ["user1", "user2", "user3"], of: kek)
  }

  package static func split(_ kek: [UInt8]) throws -> ShareCollection {
    try ShareCollection.split(kek.span, by: SharingScheme(2, of: 3))
  }

  package static func parts(of shares: borrowing ShareCollection) throws -> [[UInt8]] {
    try shares.headers.indices.map { row in
      let share = try shares.share(row).bytes()
      return share.bytes.array
    }
  }

  package static func register(
    _ shares: borrowing ShareCollection, users: [String], of kek: [UInt8]
  ) throws -> CustodianRegister {
    let people = users.enumerated().compactMap { Custodian(name: "Custodian \($0)", user: $1) }
    return try CustodianRegister(shares, holders: people, kek: KeyCheckValue.aes(kek.span))
  }

  /// The local user of that name, as a daemon would look it up.
  package static func userID(_ name: String) -> UInt32? {
    name.hasPrefix("user") ? UInt32(name.dropFirst(4)) : nil
  }

  package static func user(_ uid: UInt32) -> Caller { Caller(uid: uid, gid: uid, pid: Int32(uid)) }

  /// The body of a request to hand a share in.
  package static func body(_ share: [UInt8]) throws -> [UInt8] {
    try written(atMost: 1024) { try SubmitShareRequest(share: share.span).encode(into: &$0) }
  }
}
