import Ceremony
import TestSupport
import Testing

@testable import Crypto

/// Shares of several splits, in whatever order they come.
@Suite struct ShareSetsTests {
  private let own, foreign: [String]

  init() throws {
    try #require(TestArena.ready)
    own = try Sharing.split(SharesTests.secret, SharingScheme(2, of: 3))
    foreign = try Sharing.split(
      [UInt8](repeating: 1, count: 32), SharingScheme(2, of: 3), otherThan: own)
  }

  private func sets(_ shares: [String]) throws -> ShareSets {
    var sets = ShareSets()
    for (number, words) in shares.enumerated() {
      try sets.add(Sharing.read(words), of: "share \(number + 1)")
    }
    return sets
  }

  @Test func theForeignOneIsNamedWhereverItComes() throws {
    for place in 0...2 {
      var shares = [own[0], own[2]]
      shares.insert(foreign[1], at: place)
      let sets = try sets(shares)
      #expect(sets.count == 2 && sets.odd == ["share \(place + 1)"])
      let secret = try #require(sets.complete).combine()
      #expect(Sharing.copy(secret) == SharesTests.secret)
    }
  }

  @Test func ofTwoThatDifferNobodyIsBlamed() throws {
    let sets = try sets([foreign[0], own[0]])
    #expect(sets.complete == nil && sets.odd.isEmpty)
  }

  /// Three of five are needed: two agree, and the third is the odd one before the set is complete.
  @Test func whileNoSetIsCompleteTheLargestOneCounts() throws {
    let large = try Sharing.split(SharesTests.secret, SharingScheme(3, of: 5), otherThan: foreign)
    let sets = try sets([foreign[0], large[1], large[4]])
    #expect(sets.complete == nil && sets.odd == ["share 1"])
  }

  @Test func theFirstCompleteSetCounts() throws {
    let sets = try sets([own[0], foreign[0], foreign[2], own[1]])
    #expect(sets.odd == ["share 2", "share 3"] || sets.odd == ["share 1", "share 4"])
    #expect(
      sets.complete?.holders
        == sets.odd.first.map {
          $0 == "share 2" ? ["share 1", "share 4"] : ["share 2", "share 3"]
        })
  }

  @Test func theSameShareTwice() throws {
    #expect(throws: SharingError.duplicate) { try sets([own[0], foreign[0], own[0]]) }
  }
}
