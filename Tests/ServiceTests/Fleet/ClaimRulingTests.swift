import Format
import Testing

@testable import Operations

/// The table of FLEET.md §2, row by row.
@Suite struct ClaimRulingTests {
  private static let claim = digest(1), request = digest(2), other = digest(3)

  private static func digest(_ byte: UInt8) -> ClaimDigest {
    let bytes = [UInt8](repeating: byte, count: 32)
    return ClaimDigest(bytes.span) ?? .zero
  }

  private func ruling(
    _ holder: ClaimHolding.Holder, _ held: ClaimDigest, _ asked: ClaimDigest, age: UInt64 = 0,
    window: UInt32 = 120
  ) throws -> ClaimRuling {
    let host = try #require(HostName("paris"))
    let holding = ClaimHolding(holder, ageMilliseconds: age, retryDigest: held, host: host)
    return ClaimRuling(
      holding, of: Claim(digest: Self.claim, retryDigest: asked, day: 1), within: window)
  }

  @Test(
    "[FLEET-CLAIM-6] this host's, without a retry digest: any request goes on",
    arguments: [0, 1 << 40] as [UInt64])
  func ownPlain(_ age: UInt64) throws {
    for asked in [ClaimDigest.zero, Self.request] {
      #expect(try ruling(.thisHost, .zero, asked, age: age) == .goesOn)
    }
  }

  @Test(
    "[FLEET-CLAIM-6] this host's, with a retry digest: the same request goes on, every other is a replay",
    arguments: [0, 1 << 40] as [UInt64])
  func ownRepeatable(_ age: UInt64) throws {
    #expect(try ruling(.thisHost, Self.request, Self.request, age: age) == .goesOn)
    for asked in [ClaimDigest.zero, Self.other] {
      #expect(try ruling(.thisHost, Self.request, asked, age: age) == .replay)
    }
  }

  @Test(
    "[FLEET-CLAIM-6] [FLEET-CLAIM-7] another's, with a retry digest: the same request within its window by the store's clock opens again"
  )
  func theirsAgain() throws {
    for age in [0, 1, 120_000] as [UInt64] {
      #expect(
        try ruling(.anotherHost, Self.request, Self.request, age: age)
          == .again(ClaimRuling.Elsewhere(host: "paris", age: age)))
    }
    for age in [120_001, .max] as [UInt64] {
      #expect(try ruling(.anotherHost, Self.request, Self.request, age: age) == .replay)
    }
    #expect(try ruling(.anotherHost, Self.request, Self.request, age: 1, window: 0) == .replay)
  }

  @Test("[FLEET-CLAIM-6] another's, and another request or one that nobody may repeat: a replay")
  func theirs() throws {
    for (held, asked) in [
      (ClaimDigest.zero, ClaimDigest.zero), (.zero, Self.request), (Self.request, .zero),
      (Self.request, Self.other),
    ] {
      #expect(try ruling(.anotherHost, held, asked) == .replay)
    }
  }
}
