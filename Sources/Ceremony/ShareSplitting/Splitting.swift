// ShareSplitting: splits a secret into shares, writes and reads their words, proves that they
// recover it, and sorts shares that come back.
// It knows SLIP-39 as `SecretSharing` does.
// The daemon must not link it: nobody splits a key while it serves.

package import Crypto
import Host

extension ShareCollection {
  /// Splits a secret and returns all shares in order; extendable, with an empty passphrase and the
  /// fewest iterations.
  ///
  /// - Parameter secret: 16, 24 or 32 bytes.
  /// - Throws: `SharingError.secretSize`.
  package static func split(_ secret: Span<UInt8>, by scheme: SharingScheme) throws(SharingError)
    -> ShareCollection
  {
    guard Share.sizes.contains(secret.count) else { throw .secretSize }
    let split = Split(
      identifier: try randomIdentifier(), isExtendable: true, exponent: 0,
      groupThreshold: scheme.groupThreshold, groupCount: scheme.groups.count)
    let none: [UInt8] = []
    let encrypted = try MasterSecretCipher(split: split).encrypt(secret, passphrase: none.span)
    let values = try SecretPoints.sharing(
      encrypted.bytes, threshold: scheme.groupThreshold, count: scheme.groups.count)
    var shares = try ShareCollection(size: secret.count)
    for (number, group) in scheme.groups.enumerated() {
      let members = try SecretPoints.sharing(
        values[number], threshold: group.threshold, count: group.count)
      for member in 0..<group.count {
        shares.insert(
          ShareHeader(
            split: split, group: number, member: member, memberThreshold: group.threshold),
          members[member])
      }
    }
    return shares
  }

  /// Proves that every sufficient set of shares recovers `secret`, before anybody relies on it.
  ///
  /// Call it with all shares of a split. For 8 of 16 shares there are 12 870 sets.
  /// - Throws: `SharingError.digest` if a set recovers something else.
  package func checkEverySubset(gives secret: Span<UInt8>) throws(SharingError) {
    let split = headers[0].split
    var values = try SecretPoints(size: secret.count, capacity: split.groupCount)
    for group in groups {
      let (first, rest) = try Self.subsets(of: rows(of: group.group), taking: group.threshold)
      let value = try groupValue(through: first)
      for rows in rest {
        let other = try groupValue(through: rows)
        try Self.expectEqual(other, value)
      }
      values.add(UInt8(group.group), value.bytes)
    }
    let (first, rest) = try Self.subsets(of: Array(0..<values.count), taking: split.groupThreshold)
    let encrypted = try values.secret(through: first)
    for rows in rest {
      let other = try values.secret(through: rows)
      try Self.expectEqual(other, encrypted)
    }
    let none: [UInt8] = []
    let found = try MasterSecretCipher(split: split).decrypt(encrypted.bytes, passphrase: none.span)
    guard ConstantTime.equal(found.bytes, secret) else { throw .digest }
  }

  private static func expectEqual(_ a: borrowing SecretBuffer, _ b: borrowing SecretBuffer)
    throws(SharingError)
  {
    guard ConstantTime.equal(a.bytes, b.bytes) else { throw .digest }
  }

  /// All subsets of `rows` with `count` elements, the first one apart.
  private static func subsets(of rows: [Int], taking count: Int) throws(SharingError) -> (
    first: [Int], rest: ArraySlice<[Int]>
  ) {
    var subsets: [[Int]] = [[]]
    for row in rows { subsets += subsets.filter { $0.count < count }.map { $0 + [row] } }
    let whole = subsets.filter { $0.count == count }
    guard let first = whole.first else { throw .tooFew }
    return (first, whole.dropFirst())
  }

  private static func randomIdentifier() throws(SharingError) -> UInt16 {
    do throws(CryptoError) {
      let bytes = try Random.bytes(2)
      return (UInt16(bytes[0]) << 8 | UInt16(bytes[1])) & 0x7FFF
    } catch { throw .crypto(error) }
  }
}

extension SecretPoints {
  /// Makes `count` points, any `threshold` of which recover the secret (SLIP-0039, "Sharing a
  /// secret").
  static func sharing(_ secret: Span<UInt8>, threshold: Int, count: Int) throws(SharingError)
    -> SecretPoints
  {
    var shares = try SecretPoints(size: secret.count, capacity: count)
    guard threshold > 1 else {
      for place in 0..<count { shares.add(UInt8(place), secret) }
      return shares
    }
    var known = try SecretPoints(size: secret.count, capacity: threshold)
    for place in 0..<threshold - 2 {
      let random = try randomBytes(secret.count)
      known.add(UInt8(place), random.bytes)
    }
    let digest = try digestValue(of: secret)
    known.add(digestPlace, digest.bytes)
    known.add(secretPlace, secret)
    for place in 0..<count {
      let value = try known.value(at: UInt8(place), through: Array(0..<threshold))
      shares.add(UInt8(place), value.bytes)
    }
    return shares
  }

  /// Digest ‖ the random bytes that are its key.
  private static func digestValue(of secret: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    var value = try randomBytes(secret.count)
    let digest = try digest(of: secret, random: value.bytes.extracting(digestCount..<secret.count))
    var bytes = value.mutableBytes
    bytes.copy(digest.bytes.extracting(first: digestCount))
    return value
  }

  private static func randomBytes(_ count: Int) throws(SharingError) -> SecretBuffer {
    do throws(CryptoError) { return try Random.secret(count: count) } catch { throw .crypto(error) }
  }
}
