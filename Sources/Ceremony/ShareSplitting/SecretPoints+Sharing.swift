internal import Crypto
internal import Host

extension SecretPoints {
  /// Makes `count` points, any `threshold` of which recover the secret (SLIP-0039, "Sharing a secret").
  static func sharing(_ secret: Span<UInt8>, threshold: Int, count: Int) throws(SharingError) -> SecretPoints {
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
