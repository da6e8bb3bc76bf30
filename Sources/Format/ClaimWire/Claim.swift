// ClaimWire: the frames of `claims.sock`, which kistd and kist-claimd exchange (proto/FLEET.md §3).
// It is pure: bytes in, values out, with limits on size and count. What it carries is no secret.
// It must not know sockets, keys, tokens or the store.

/// What a host asks to have for itself, and the digest of the request by which another host may
/// repeat it.
package struct Claim: Hashable, Sendable {
  package let digest: ClaimDigest
  /// `ClaimDigest.zero` for a request that nobody may repeat.
  package let retryDigest: ClaimDigest
  /// The day of what is claimed, counted from 1970-01-01, UTC; never the time of claiming.
  package let day: UInt32

  package init(digest: ClaimDigest, retryDigest: ClaimDigest, day: UInt32) {
    self.digest = digest
    self.retryDigest = retryDigest
    self.day = day
  }
}

/// Who claims: a host, and which run of its daemon, since only that remembers for certain what it
/// opened [FLEET-CLAIM-10].
package struct Claimant: Hashable, Sendable {
  package let host: HostName
  /// Random.
  package let run: UInt64

  package init(host: HostName, run: UInt64) {
    self.host = host
    self.run = run
  }
}

/// Who holds a claim, since when by the store's clock, and under which retry digest.
package struct ClaimHolding: Hashable, Sendable {
  package enum Holder: UInt8, Sendable {
    /// The claim is the asking host's, by this run of its daemon.
    case thisHost = 1
    case anotherHost = 2
  }

  package let holder: Holder
  package let ageMilliseconds: UInt64
  package let retryDigest: ClaimDigest
  package let host: HostName

  package init(_ holder: Holder, ageMilliseconds: UInt64, retryDigest: ClaimDigest, host: HostName)
  {
    self.holder = holder
    self.ageMilliseconds = ageMilliseconds
    self.retryDigest = retryDigest
    self.host = host
  }
}

/// Thirty-two bytes of HMAC-SHA-256: a claim, or a retry digest.
package struct ClaimDigest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  package static let byteCount = 32
  package static let zero = ClaimDigest((0, 0, 0, 0))

  private init(_ words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// From exactly thirty-two bytes, otherwise nil.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    func word(_ place: Int) -> UInt64 { UInt64(bigEndian: bytes, at: place) }
    self.init((word(0), word(8), word(16), word(24)))
  }

  package var bytes: [UInt8] {
    words.0.bigEndianBytes + words.1.bigEndianBytes + words.2.bigEndianBytes
      + words.3.bigEndianBytes
  }

  package static func == (a: ClaimDigest, b: ClaimDigest) -> Bool { a.words == b.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension ClaimDigest: Comparable {
  /// In the order of their bytes, which is also that of the store.
  package static func < (a: ClaimDigest, b: ClaimDigest) -> Bool { a.words < b.words }
}

/// The name of a host of the fleet: 1 to 32 of `a-z`, `0-9` and `-`.
package struct HostName: Hashable, Sendable {
  package let text: String

  package init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
      return nil
    }
    self.text = text
  }

  package init?(_ bytes: Span<UInt8>) { self.init(String(decoding: bytes.array, as: UTF8.self)) }

  package static let lengths = 1...32

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
