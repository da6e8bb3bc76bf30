internal import CryptoBackend
internal import SecretMemory

/// Points of one polynomial over GF(256) for each byte of a value: the x coordinates are public, the values secret and in one buffer.
struct SecretPoints: ~Copyable {
  /// The size of a value in bytes, a multiple of 8.
  let size: Int
  /// The x coordinate of each point.
  private(set) var places: [UInt8] = []
  private var values: SecretBuffer

  init(size: Int, capacity: Int) throws(SharingError) {
    values = try SecretBuffer.make(size * capacity)
    self.size = size
  }

  var count: Int { places.count }

  /// The value of the point in `row`.
  subscript(row: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { values.bytes.extracting(row * size..<(row + 1) * size) }
  }

  mutating func add(_ place: UInt8, _ value: Span<UInt8>) {
    let offset = places.count * size
    var bytes = values.mutableBytes
    bytes.copy(value, at: offset)
    places.append(place)
  }

  /// The value at `place` of the polynomials through the points in `rows` (Lagrange interpolation).
  func value(at place: UInt8, through rows: [Int]) throws(SharingError) -> SecretBuffer {
    var sum = try SecretBuffer.make(size)
    var out = sum.mutableBytes
    for row in rows {
      let weight = weight(of: row, at: place, among: rows)
      let value = self[row]
      for start in stride(from: 0, to: size, by: 8) {
        let product = GF256.aes.multiply(Self.word(value, start), by: weight)
        for i in 0..<8 { out[start + i] ^= UInt8(truncatingIfNeeded: product >> UInt64(8 * i)) }
      }
    }
    return sum
  }

  /// Π (place − other) ÷ (own − other), which may take variable time, since places are public.
  private func weight(of row: Int, at place: UInt8, among rows: [Int]) -> UInt8 {
    var weight: UInt8 = 1
    for other in rows where other != row {
      weight = GF256.aes.multiply(weight, GF256.aes.multiply(place ^ places[other], GF256.aes.inverse(places[row] ^ places[other])))
    }
    return weight
  }

  private static func word(_ bytes: Span<UInt8>, _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for i in 0..<8 { word |= UInt64(bytes[start + i]) << UInt64(8 * i) }
    return word
  }
}

extension SecretPoints {
  private static let secretPlace: UInt8 = 255
  private static let digestPlace: UInt8 = 254
  private static let digestCount = 4

  /// Makes `count` points, any `threshold` of which recover the secret (SLIP-0039, "Sharing a secret").
  static func sharing(_ secret: Span<UInt8>, threshold: Int, count: Int) throws(SharingError) -> SecretPoints {
    var shares = try SecretPoints(size: secret.count, capacity: count)
    guard threshold > 1 else {
      for place in 0..<count { shares.add(UInt8(place), secret) }
      return shares
    }
    var known = try SecretPoints(size: secret.count, capacity: threshold)
    for place in 0..<threshold - 2 {
      let random = try SecretBuffer.random(secret.count)
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

  /// Recovers the secret from the points in `rows`, of which there must be as many as the threshold.
  ///
  /// - Throws: `SharingError.digest` if it is not the secret that was shared.
  func secret(through rows: [Int]) throws(SharingError) -> SecretBuffer {
    guard rows.count > 1 else { return try SecretBuffer.make(copying: self[rows[0]]) }
    let secret = try value(at: Self.secretPlace, through: rows)
    let stored = try value(at: Self.digestPlace, through: rows)
    guard try Self.isDigest(stored, of: secret) else { throw .digest }
    return secret
  }

  /// Digest ‖ the random bytes that are its key.
  private static func digestValue(of secret: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    var value = try SecretBuffer.random(secret.count)
    let digest = try digest(of: secret, random: value.bytes.extracting(digestCount..<secret.count))
    var bytes = value.mutableBytes
    bytes.copy(digest.bytes.extracting(first: digestCount))
    return value
  }

  private static func isDigest(_ value: borrowing SecretBuffer, of secret: borrowing SecretBuffer) throws(SharingError) -> Bool {
    let expected = try digest(of: secret.bytes, random: value.bytes.extracting(digestCount..<value.count))
    return ConstantTime.equal(value.bytes.extracting(first: digestCount), expected.bytes.extracting(first: digestCount))
  }

  private static func digest(of secret: Span<UInt8>, random: Span<UInt8>) throws(SharingError) -> SecretBuffer {
    do throws(CryptoError) { return try HMACSHA256.derive(key: random, secret) } catch { throw .crypto(error) }
  }
}
