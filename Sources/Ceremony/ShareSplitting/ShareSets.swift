package import Crypto
package import Host

/// Shares as people hand them in, sorted by the split that they are of: whoever came first, the set
/// that is complete first counts.
package struct ShareSets {
  private var sets: [ShareSet] = []

  package init() {}

  /// How many splits there are shares of.
  package var count: Int { sets.count }

  /// How many shares the largest set has.
  package var largest: Int { sets.map(\.holders.count).max() ?? 0 }

  /// The first set that gives a secret.
  package var complete: ShareSet? { sets.first(where: \.isComplete) }

  /// Whose shares are of another split than those of the complete set or, while there is none, of
  /// the largest one; nobody's where several are as large.
  package var odd: [String] {
    guard let whole = complete ?? onlyLargest else { return [] }
    return sets.filter { $0 !== whole }.flatMap(\.holders)
  }

  /// - Throws: `SharingError.duplicate`, and `.otherSplit` or `.tooMany` for a share that does not
  ///   fit its set; what was there before stays.
  package mutating func add(_ share: borrowing Share, of holder: String) throws(SharingError) {
    guard let set = set(of: share) else { return sets.append(try ShareSet(share, of: holder)) }
    try set.add(share, of: holder)
  }

  /// Whether somebody has a share in the set that this one is of.
  package func has(_ holder: String, inSetOf share: borrowing Share) -> Bool {
    set(of: share)?.holders.contains(holder) ?? false
  }

  private func set(of share: borrowing Share) -> ShareSet? {
    for set in sets where set.isOf(share) { return set }
    return nil
  }

  private var onlyLargest: ShareSet? {
    let found = sets.filter { $0.holders.count == largest }
    return found.count == 1 ? found[0] : nil
  }
}

/// Shares of one split, and who entered them.
package final class ShareSet {
  package private(set) var holders: [String]
  private var shares: ShareCollection

  init(_ first: borrowing Share, of holder: String) throws(SharingError) {
    shares = try ShareCollection(first)
    holders = [holder]
  }

  var isComplete: Bool { shares.isComplete }

  /// Whether the share is of the same split.
  func isOf(_ share: borrowing Share) -> Bool { shares.headers.first?.split == share.header.split }

  func add(_ share: borrowing Share, of holder: String) throws(SharingError) {
    try shares.add(share)
    holders.append(holder)
  }

  /// The fingerprints of its shares, in the order in which they came.
  package func fingerprints() throws(SharingError) -> [ShareFingerprint] {
    var found: [ShareFingerprint] = []
    for row in shares.headers.indices { found.append(try shares.share(row).fingerprint) }
    return found
  }

  package func combine() throws(SharingError) -> SecretBuffer { try shares.combine() }
}
