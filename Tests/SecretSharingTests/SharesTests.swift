import Ceremony
import Crypto
import Host
import TestSupport
import Testing

@testable import Crypto

@Suite struct SharesTests {
  static let secret = [UInt8](100..<132)

  init() throws { try #require(TestArena.ready) }

  static let schemes =
    (2...6).flatMap { count in (2...count).map { ($0, count) } } + [(2, 16), (15, 16), (16, 16)]

  @Test(arguments: schemes) func everySubsetGivesTheSecretAndOneFewerNothing(
    _ threshold: Int, _ count: Int
  ) throws {
    let shares = try Sharing.split(Self.secret, SharingScheme(threshold, of: count))
    #expect(shares.count == count)
    for subset in Sharing.subsets(shares, threshold).prefix(20) {
      #expect(Sharing.combine(subset.reversed()) == .success(Self.secret))
      #expect(Sharing.combine(subset.dropLast()) == .failure(.tooFew))
    }
    if threshold < count {
      #expect(Sharing.combine(Array(shares.prefix(threshold + 1))) == .failure(.tooMany))
    }
    let collection = try ShareCollection.split(
      Self.secret.span, by: SharingScheme(threshold, of: count))
    try collection.checkEverySubset(gives: Self.secret.span)
    let other = [UInt8](repeating: 0, count: 32)
    #expect(throws: SharingError.digest) { try collection.checkEverySubset(gives: other.span) }
  }

  /// [KS-SHARE]
  @Test(arguments: Share.sizes) func aShareIsReadAsItWasWritten(_ size: Int) throws {
    let secret = try Random.bytes(size)
    let shares = try Sharing.split(secret, SharingScheme(2, of: 3))
    for (member, words) in shares.enumerated() {
      #expect(words.split(separator: " ").count == Share.wordCount(size: size))
      let share = try Sharing.read(words)
      #expect(
        share.header.member == member && share.header.memberThreshold == 2
          && share.header.group == 0)
      #expect(share.header.split.isExtendable && share.header.split.exponent == 0)
      let text = try share.words()
      #expect(Sharing.copy(text) == Array(words.utf8))
    }
    #expect(Sharing.combine([shares[2], shares[0]]) == .success(secret))
  }

  @Test func groupsComeTogether() throws {
    let two = try SharingScheme.Group(2, of: 3)
    let scheme = try SharingScheme(
      groupThreshold: 2, groups: [two, SharingScheme.Group(3, of: 5), two])
    let collection = try ShareCollection.split(Self.secret.span, by: scheme)
    try collection.checkEverySubset(gives: Self.secret.span)
    let shares = try Sharing.split(Self.secret, scheme)
    #expect(shares.count == 11)
    #expect(Sharing.combine([shares[0], shares[2], shares[8], shares[9]]) == .success(Self.secret))
    #expect(
      Sharing.combine([shares[0], shares[7], shares[2], shares[5], shares[3]])
        == .success(Self.secret))
    #expect(Sharing.combine([shares[0], shares[2]]) == .failure(.tooFew))
    #expect(Sharing.combine([shares[0], shares[2], shares[8]]) == .failure(.tooFew))
    #expect(
      Sharing.combine([shares[0], shares[1], shares[8], shares[9], shares[3], shares[4], shares[5]])
        == .failure(.tooMany))
  }

  @Test func progressIsCountedPerGroup() throws {
    let shares = try Sharing.split(Self.secret, SharingScheme(2, of: 3))
    var collection = try ShareCollection(Sharing.read(shares[1]))
    #expect(
      collection.groups == [.init(group: 0, present: 1, threshold: 2)] && !collection.isComplete)
    try collection.add(Sharing.read(shares[0]))
    #expect(
      collection.groups == [.init(group: 0, present: 2, threshold: 2)] && collection.isComplete)
  }

  /// [KS-SHARE-WORDS]
  @Test func aWordOrTwoOrThreeChangedAreFound() throws {
    let words = try #require(try Sharing.split(Self.secret, SharingScheme(2, of: 2)).first).split(
      separator: " "
    ).map(String.init)
    for place in words.indices {
      for changed in 1...3 {
        var other = words
        for i in 0..<changed {
          other[(place + 11 * i) % 33] =
            other[(place + 11 * i) % 33] == "academic" ? "zero" : "academic"
        }
        #expect(
          Sharing.share(other.joined(separator: " ")) == .failure(.checksum), "word \(place + 1)")
      }
      var swapped = words
      swapped.swapAt(place, (place + 1) % 33)
      if swapped != words {
        #expect(Sharing.share(swapped.joined(separator: " ")) == .failure(.checksum))
      }
    }
  }

  @Test func wordsAreNamedByTheirNumbersAlone() throws {
    let words = try #require(try Sharing.split(Self.secret, SharingScheme(2, of: 2)).first).split(
      separator: " "
    ).map(String.init)
    for wrong in [
      "aca", "academics", "zzzz", "acad3mic", "\u{E9}cole", "academicacademic", "aca\u{0}",
      "acad.mic",
    ] {
      for place in [0, 16, 32] {
        var other = words
        other[place] = wrong
        #expect(
          Sharing.share(other.joined(separator: " ")) == .failure(.unknownWord(number: place + 1)),
          "\(wrong)")
      }
    }
    for count in [0, 1, 19, 21, 26, 32] {
      #expect(
        Sharing.share(words.prefix(count).joined(separator: " ")) == .failure(.wordCount(count)))
    }
    #expect(
      Sharing.share((words + ["academic"]).joined(separator: " ")) == .failure(.wordCount(34)))
  }

  /// [KS-SHARE-FORM]
  @Test(arguments: Share.sizes) func aShareInBinaryIsItsHeaderAndItsValue(_ size: Int) throws {
    let words = try #require(
      try Sharing.split(try Random.bytes(size), SharingScheme(2, of: 3)).last)
    let binary = try Sharing.bytes(of: words)
    #expect(binary.count == 5 + size)
    let share = try Share(bytes: binary.span)
    let text = try share.words()
    #expect(Sharing.copy(text) == Array(words.utf8))
    for count in 0...40 where !Share.sizes.contains(count - 5) {
      let other = [UInt8](repeating: 0, count: count)
      #expect(throws: SharingError.secretSize) { _ = try Share(bytes: other.span).fingerprint }
    }
    // The third byte ends with the group's number, the fourth begins with how many groups are
    // needed.
    for (place, byte) in [(2, 0x01), (3, 0x10)] as [(Int, UInt8)] {
      var other = binary
      other[place] |= byte
      #expect(throws: SharingError.header) { _ = try Share(bytes: other.span).fingerprint }
    }
  }

  /// [KS-SHARE-FINGERPRINT]
  @Test func howAShareIsTypedDoesNotMatter() throws {
    let words = try #require(try Sharing.split(Self.secret, SharingScheme(2, of: 2)).first)
    let expected = Sharing.share(words)
    let short = words.split(separator: " ").map { $0.prefix(4) }
    for typed in [
      words.uppercased(), "  \(words)\n", words.split(separator: " ").joined(separator: "\n\t"),
      short.joined(separator: " "),
    ] {
      #expect(Sharing.share(typed) == expected)
    }
    let fingerprint = try expected.get()
    let binary = try Sharing.bytes(of: words)
    #expect(
      fingerprint.bytes == Array(SHA256.hash(Array("share-fp/v2".utf8) + binary).bytes.prefix(5)))
    #expect(ShareFingerprint(hex: fingerprint.description) == fingerprint)
    #expect(ShareFingerprint(hex: "00112233") == nil)
  }

  /// [KS-SHARE-SPLIT]
  @Test func sharesThatDoNotBelongTogetherAreRefusedByName() throws {
    let shares = try Sharing.split(Self.secret, SharingScheme(3, of: 4))
    let others = try Sharing.split(Self.secret, SharingScheme(3, of: 4), otherThan: shares)
    #expect(Sharing.combine([shares[0], others[1], shares[2]]) == .failure(.otherSplit))
    #expect(Sharing.combine([shares[0], shares[1], shares[0]]) == .failure(.duplicate))
    #expect(Sharing.combine([shares[0], shares[1]]) == .failure(.tooFew))
    let short = try Sharing.split(
      Array(Self.secret.prefix(16)), SharingScheme(3, of: 4), otherThan: shares)
    #expect(Sharing.combine([shares[0], short[1]]) == .failure(.otherSplit))
  }

  /// [KS-SHARE-DIGEST] Somebody who makes up a share of this split, checksum and all, gives nothing
  /// away and is found out.
  @Test func aShareThatLiesIsFoundByTheDigest() throws {
    let shares = try Sharing.split(Self.secret, SharingScheme(2, of: 3))
    let honest = try Sharing.read(shares[0])
    let lie = Share(header: honest.header, value: try Random.secret(count: 32))
    var collection = try ShareCollection(lie)
    try collection.add(Sharing.read(shares[1]))
    #expect(throws: SharingError.digest) { _ = try collection.combine() }
  }

  @Test func schemesAndSecretsOutsideTheRulesAreRefused() throws {
    for (threshold, count) in [(1, 1), (1, 2), (0, 2), (3, 2), (2, 17), (17, 17), (-1, 3)] {
      #expect(throws: SharingError.scheme) { _ = try SharingScheme(threshold, of: count) }
    }
    let two = try SharingScheme.Group(2, of: 2)
    #expect(throws: SharingError.scheme) { _ = try SharingScheme(groupThreshold: 0, groups: [two]) }
    #expect(throws: SharingError.scheme) { _ = try SharingScheme(groupThreshold: 2, groups: [two]) }
    #expect(throws: SharingError.scheme) {
      _ = try SharingScheme(groupThreshold: 1, groups: Array(repeating: two, count: 17))
    }
    let scheme = try SharingScheme(2, of: 2)
    for size in [0, 8, 15, 17, 31, 33, 40] {
      let secret = [UInt8](repeating: 1, count: size)
      #expect(throws: SharingError.secretSize) {
        _ = try ShareCollection.split(secret.span, by: scheme)
      }
    }
  }

  @Test func moreIterationsThanTheVectorsHaveAreRefused() throws {
    let split = Split(
      identifier: 7, isExtendable: true, exponent: 4, groupThreshold: 1, groupCount: 1)
    let value = try SecretBuffer(copying: Self.secret.span)
    let collection = try ShareCollection(
      Share(
        header: ShareHeader(split: split, group: 0, member: 0, memberThreshold: 1), value: value))
    #expect(throws: SharingError.exponent) { _ = try collection.combine() }
  }
}
