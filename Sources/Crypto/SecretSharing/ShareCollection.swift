// SecretSharing: shares of a secret (SLIP-39), and the secret that enough of them recover.
// It knows how to read and combine shares; `ShareSplitting` makes them and knows their words, in
// `kist` alone.
// It must not know what the secret is, who holds a share or what is recorded of it.

package import Host

/// The shares of one split that have been collected, in one buffer.
package struct ShareCollection: ~Copyable {
  /// In the order in which they were added.
  package private(set) var headers: [ShareHeader] = []
  private var points: SecretPoints

  /// Begins with a share, which determines the split.
  package init(_ first: borrowing Share) throws(SharingError) {
    points = try SecretPoints(size: first.value.count, capacity: Self.capacity)
    insert(first.header, first.value.bytes)
  }

  /// For all shares of a new split.
  package init(size: Int) throws(SharingError) {
    points = try SecretPoints(size: size, capacity: Self.capacity)
  }

  /// Sixteen groups of sixteen.
  private static let capacity = 256

  /// - Throws: `SharingError.otherSplit`, `.duplicate`, or `.tooMany` if the group is complete; the
  ///   collection is then unchanged.
  package mutating func add(_ share: borrowing Share) throws(SharingError) {
    let new = share.header
    guard new.split == headers.first?.split, share.value.count == points.size else {
      throw .otherSplit
    }
    for header in headers where header.group == new.group {
      guard header.memberThreshold == new.memberThreshold else { throw .otherSplit }
      guard header.member != new.member else { throw .duplicate }
    }
    guard rows(of: new.group).count < new.memberThreshold else { throw .tooMany }
    insert(new, share.value.bytes)
  }

  /// The share in `row`, in the order of adding.
  package func share(_ row: Int) throws(SharingError) -> Share {
    Share(header: headers[row], value: try SecretBuffer.copy(of: points[row]))
  }

  /// The progress of each group that has a share, by its number.
  package var groups: [GroupProgress] {
    Set(headers.map(\.group)).sorted().map { group in
      let members = headers.filter { $0.group == group }
      return GroupProgress(
        group: group, present: members.count, threshold: members[0].memberThreshold)
    }
  }

  /// Whether there are enough shares for `combine`.
  package var isComplete: Bool {
    let split = headers[0].split
    return groups.count { $0.present >= $0.threshold } >= split.groupThreshold
  }

  /// Recovers the secret.
  ///
  /// - Parameter passphrase: empty for every share that Kist makes; a wrong one gives another
  ///   secret and no error.
  /// - Throws: `SharingError.tooFew`, `.tooMany` and `.digest`.
  package func combine(passphrase: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    guard groups.allSatisfy({ $0.present <= $0.threshold }) else { throw .tooMany }
    let split = headers[0].split
    // The value of an incomplete group cannot be recovered; it is not needed if enough other groups
    // are complete.
    let complete = groups.filter { $0.present == $0.threshold }
    guard complete.count >= split.groupThreshold else { throw .tooFew }
    guard complete.count == split.groupThreshold else { throw .tooMany }
    var values = try SecretPoints(size: points.size, capacity: complete.count)
    for group in complete {
      let value = try groupValue(through: rows(of: group.group))
      values.add(UInt8(group.group), value.bytes)
    }
    let encrypted = try values.secret(through: Array(0..<values.count))
    return try MasterSecretCipher(split: split).decrypt(encrypted.bytes, passphrase: passphrase)
  }

  package func combine() throws(SharingError) -> SecretBuffer {
    let none: [UInt8] = []
    return try combine(passphrase: none.span)
  }

  /// How many shares of a group are present and how many are needed.
  package struct GroupProgress: Hashable, Sendable {
    /// Counted from 0.
    package let group: Int
    package let present: Int
    package let threshold: Int
  }

  package mutating func insert(_ header: ShareHeader, _ value: Span<UInt8>) {
    points.add(UInt8(header.member), value)
    headers.append(header)
  }

  package func rows(of group: Int) -> [Int] {
    headers.indices.filter { headers[$0].group == group }
  }

  /// Recovers a group's value from the members in `rows`.
  package func groupValue(through rows: [Int]) throws(SharingError) -> SecretBuffer {
    try points.secret(through: rows)
  }
}
