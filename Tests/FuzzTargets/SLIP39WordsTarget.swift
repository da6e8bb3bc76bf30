import Host
import TestSupport

@testable internal import Ceremony
@testable internal import Crypto

/// What custodians type; a byte in front says whether the checksum is made right first, or mutation
/// would never pass it.
enum SLIP39WordsTarget: FuzzTarget {
  static let name = "slip39-words"
  static let byteLimit = 1024

  static func seeds() throws -> [[UInt8]] {
    let secret = [UInt8](repeating: 0x5A, count: 32)
    let groups = try SharingScheme(
      groupThreshold: 2, groups: [SharingScheme.Group(2, of: 2), SharingScheme.Group(2, of: 3)])
    let written = try [
      words(of: secret, SharingScheme(2, of: 3)),
      words(of: Array(secret.prefix(16)), SharingScheme(2, of: 2)), words(of: secret, groups),
    ]
    let lone = Array(written[0].prefix { $0 != UInt8(ascii: "\n") })
    let short = lone.split(separator: 0x20).map { $0.prefix(4) }.joined(separator: [0x09])
    return (written + [lone, Array(short)]).flatMap { [[0] + $0, [1] + $0] }
  }

  /// A share on each line; those that can be read are put together.
  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    var collection: ShareCollection?
    for line in input.dropFirst().split(separator: UInt8(ascii: "\n")) {
      let share = try first & 1 == 1 ? mended(Array(line)) : Share(words: Array(line).span)
      try checkWords(of: share)
      if collection == nil {
        collection = try ShareCollection(share)
      } else {
        try collection?.add(share)
      }
    }
    guard let collection = consume collection else { return }
    guard collection.headers[0].split.exponent == 0 else { return }
    let secret = try collection.combine()
    try promise(Share.sizes.contains(secret.count), "a secret has a size that none has")
  }

  /// Its words, and its binary form, are read as the same share.
  private static func checkWords(of share: borrowing Share) throws {
    let words = try share.words()
    let again = try Share(words: words.bytes)
    try promise(
      again.header == share.header && ConstantTime.equal(again.value.bytes, share.value.bytes),
      "a share's words are another share's")
    let binary = try share.bytes()
    let handedIn = try Share(bytes: binary.bytes)
    try promise(
      handedIn.header == share.header
        && ConstantTime.equal(handedIn.value.bytes, share.value.bytes),
      "a share in binary is another share")
    try promise(again.fingerprint == share.fingerprint, "a share has two fingerprints")
  }

  /// The words with the checksum that belongs to them.
  private static func mended(_ line: [UInt8]) throws -> Share {
    var entry = try WordIndices(count: 0, capacity: 64)
    for word in line.split(whereSeparator: { $0 <= 0x20 }) where !entry.isFull {
      let letters = Array(word)
      guard let index = WordList.index(of: letters.span) else { continue }
      entry.append(index)
    }
    if entry.count >= 7 { RS1024.fill(&entry, isExtendable: entry[1] >> 4 & 1 == 1) }
    return try Share(entry)
  }

  private static func words(of secret: [UInt8], _ scheme: SharingScheme) throws -> [UInt8] {
    let shares = try ShareCollection.split(secret.span, by: scheme)
    var text: [UInt8] = []
    for group in shares.groups.prefix(shares.headers[0].split.groupThreshold) {
      for row in shares.rows(of: group.group).prefix(group.threshold) {
        let words = try shares.share(row).words()
        for i in 0..<words.count { text.append(words.bytes[i]) }
        text.append(UInt8(ascii: "\n"))
      }
    }
    return text
  }
}
