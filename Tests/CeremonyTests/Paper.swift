import Ceremony
import Crypto
import Host
import KeyStore
import Testing

/// What custodians wrote down, by their names: the words of their shares.
typealias Paper = [String: [String]]

extension Paper {
  /// The KEK that the shares of these custodians give.
  func kek(_ names: [String]) throws -> SecretBuffer {
    let first = try share(names[0])
    var collection = try ShareCollection(first)
    for name in names.dropFirst() {
      let next = try share(name)
      try collection.add(next)
    }
    return try collection.combine()
  }

  private func share(_ name: String) throws -> Share {
    let text = Array(try #require(self[name]).joined(separator: " ").utf8)
    return try Share(words: text.span)
  }
}

extension TestRoom {
  /// The store that the shares of these custodians open.
  func store(
    _ paper: Paper, _ names: [String] = ["carol", "dave"], _ kind: StoreKind = .production,
    at path: String = "/state/keys"
  ) throws -> KeyStore {
    let kek = try paper.kek(names)
    return try LockedKeyStore.open(path, on: disk).unlock(kek: kek, expecting: kind)
  }
}
