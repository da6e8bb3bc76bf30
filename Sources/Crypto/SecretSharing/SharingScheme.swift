/// How many shares a secret is split into, and how many of them recover it.
package struct SharingScheme: Hashable, Sendable {
  /// M of N within one group.
  package struct Group: Hashable, Sendable {
    package let threshold: Int
    package let count: Int

    /// - Throws: `SharingError.scheme` unless 2 ≤ `threshold` ≤ `count` ≤ 16.
    package init(_ threshold: Int, of count: Int) throws(SharingError) {
      guard 2 <= threshold, threshold <= count, count <= 16 else { throw .scheme }
      (self.threshold, self.count) = (threshold, count)
    }
  }

  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groups: [Group]

  /// - Throws: `SharingError.scheme` unless 1 ≤ `groupThreshold` ≤ groups ≤ 16.
  package init(groupThreshold: Int, groups: [Group]) throws(SharingError) {
    guard 1 <= groupThreshold, groupThreshold <= groups.count, groups.count <= 16 else { throw .scheme }
    (self.groupThreshold, self.groups) = (groupThreshold, groups)
  }
}
