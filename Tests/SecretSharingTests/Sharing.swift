import Ceremony
import Host

@testable import Crypto

/// Shares as tests write them: in the clear.
enum Sharing {
  static func share(_ words: String) -> Result<ShareFingerprint, SharingError> {
    do throws(SharingError) { return .success(try read(words).fingerprint) } catch {
      return .failure(error)
    }
  }

  static func read(_ words: String) throws(SharingError) -> Share {
    let text = Array(words.utf8)
    return try Share(words: text.span)
  }

  static func bytes(of words: String) throws(SharingError) -> [UInt8] {
    copy(try read(words).bytes())
  }

  static func combine(_ shares: [String], passphrase: String = "") -> Result<[UInt8], SharingError>
  {
    do throws(SharingError) {
      var collection: ShareCollection?
      for words in shares {
        let share = try read(words)
        if collection == nil {
          collection = try ShareCollection(share)
        } else {
          try collection?.add(share)
        }
      }
      guard let collection = consume collection else { return .failure(.tooFew) }
      let phrase = Array(passphrase.utf8)
      let secret = try collection.combine(passphrase: phrase.span)
      return .success(copy(secret))
    } catch { return .failure(error) }
  }

  /// Of a split with another number than these shares', which is drawn at random from 32,768.
  static func split(_ secret: [UInt8], _ scheme: SharingScheme, otherThan shares: [String])
    throws(SharingError) -> [String]
  {
    let number = try read(shares[0]).header.split.identifier
    while true {
      let others = try split(secret, scheme)
      if try read(others[0]).header.split.identifier != number { return others }
    }
  }

  /// The words of every share.
  static func split(_ secret: [UInt8], _ scheme: SharingScheme) throws(SharingError) -> [String] {
    let shares = try ShareCollection.split(secret.span, by: scheme)
    var words: [String] = []
    for row in shares.headers.indices {
      let text = try shares.share(row).words()
      words.append(String(decoding: copy(text), as: UTF8.self))
    }
    return words
  }

  static func copy(_ secret: borrowing SecretBuffer) -> [UInt8] {
    (0..<secret.count).map { secret.bytes[$0] }
  }

  /// Every way to take `count` of them.
  static func subsets<T>(_ all: [T], _ count: Int) -> [[T]] {
    var subsets: [[T]] = [[]]
    for one in all { subsets += subsets.filter { $0.count < count }.map { $0 + [one] } }
    return subsets.filter { $0.count == count }
  }
}
