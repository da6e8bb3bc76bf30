package import Host

/// Points of one polynomial over GF(256) for each byte of a value: the x coordinates are public,
/// the values secret and in one buffer.
package struct SecretPoints: ~Copyable {
  /// The size of a value in bytes, a multiple of 8.
  package let size: Int
  /// The x coordinate of each point.
  package private(set) var places: [UInt8] = []
  private var values: SecretBuffer

  package init(size: Int, capacity: Int) throws(SharingError) {
    values = try SecretBuffer.zeroed(size * capacity)
    self.size = size
  }

  package var count: Int { places.count }

  /// The value of the point in `row`.
  package subscript(row: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { values.bytes.extracting(row * size..<(row + 1) * size) }
  }

  package mutating func add(_ place: UInt8, _ value: Span<UInt8>) {
    let offset = places.count * size
    var bytes = values.mutableBytes
    bytes.copy(value, at: offset)
    places.append(place)
  }

  /// The value at `place` of the polynomials through the points in `rows` (Lagrange interpolation).
  package func value(at place: UInt8, through rows: [Int]) throws(SharingError) -> SecretBuffer {
    var sum = try SecretBuffer.zeroed(size)
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
      weight = GF256.aes.multiply(
        weight,
        GF256.aes.multiply(place ^ places[other], GF256.aes.inverse(places[row] ^ places[other])))
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
  package static let secretPlace: UInt8 = 255
  package static let digestPlace: UInt8 = 254
  /// How many bytes of the digest's value are the digest.
  package static let digestCount = 4

  /// Recovers the secret from the points in `rows`, of which there must be as many as the
  /// threshold.
  ///
  /// - Throws: `SharingError.digest` if it is not the secret that was shared.
  package func secret(through rows: [Int]) throws(SharingError) -> SecretBuffer {
    guard rows.count > 1 else { return try SecretBuffer.copy(of: self[rows[0]]) }
    let secret = try value(at: Self.secretPlace, through: rows)
    let stored = try value(at: Self.digestPlace, through: rows)
    guard try Self.isDigest(stored, of: secret) else { throw .digest }
    return secret
  }

  private static func isDigest(_ value: borrowing SecretBuffer, of secret: borrowing SecretBuffer)
    throws(SharingError) -> Bool
  {
    let expected = try digest(
      of: secret.bytes, random: value.bytes.extracting(digestCount..<value.count))
    return ConstantTime.equal(
      value.bytes.extracting(first: digestCount), expected.bytes.extracting(first: digestCount))
  }

  /// HMAC-SHA256 of the secret, of which the first `digestCount` bytes count.
  package static func digest(of secret: Span<UInt8>, random: Span<UInt8>) throws(SharingError)
    -> SecretBuffer
  {
    do throws(CryptoError) { return try HMACSHA256.derive(key: random, secret) } catch {
      throw .crypto(error)
    }
  }
}
