internal import COpenSSL

/// Inverts numbers modulo a curve's order, eight times as fast as `BN_mod_inverse`. The time depends on the number: it is for public ones alone.
///
/// Source: Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), in variable time. Division steps turn f and g
/// into their greatest common divisor, ±1, and 0. 62 at a time are found from the lowest bits alone, and then applied to f and g, and to d and e:
/// f is always d times the number, and g is e times the number, modulo the modulus.
struct ScalarInverse: Sendable {
  private let modulus: SignedNumber
  /// The inverse of the modulus, modulo 2^62.
  private let inverse: UInt64

  /// 741 steps are enough for 256 bits (theorem 11.2).
  private static let mostBatches = 12

  /// - Parameter modulus: odd, at most 256 bits.
  init?(modulo modulus: OpaquePointer?) {
    guard let modulus = unsafe SignedNumber(modulus) else { return nil }
    self.modulus = modulus
    // Newton's iteration: three bits are right at first, and twice as many each time.
    let lowest = modulus.lowestBits
    inverse = (0..<5).reduce(lowest) { (inverse, _) in inverse &* (2 &- lowest &* inverse) } & SignedNumber.mask
  }

  /// Writes the inverse of a number below the modulus; false if it found none. Whoever relies on it proves it by a multiplication.
  func invert(_ number: OpaquePointer?, into result: OpaquePointer?) -> Bool {
    guard var g = unsafe SignedNumber(number) else { return false }
    var (f, d, e) = (modulus, SignedNumber(0), SignedNumber(1))
    var delta = 1
    for _ in 0..<Self.mostBatches where !g.isZero {
      let steps = DivisionSteps(&delta, f.lowestBits, g.lowestBits)
      steps.apply(to: &f, &g)
      steps.apply(to: &d, &e, modulo: modulus, inverse)
    }
    guard g.isZero else { return false }
    if f.isNegative { d.negate() }
    while d.isNegative { d.add(modulus) }
    return unsafe d.write(to: result)
  }
}

/// 62 division steps, as a matrix: f becomes (u f + v g) / 2^62, and g becomes (q f + r g) / 2^62.
private struct DivisionSteps {
  private var u: Int64 = 1, v: Int64 = 0, q: Int64 = 0, r: Int64 = 1

  init(_ delta: inout Int, _ lowestOfF: UInt64, _ lowestOfG: UInt64) {
    var (f, g, left) = (lowestOfF, lowestOfG, SignedNumber.bits)
    while true {
      // As many steps as only halve g.
      let zeros = min(g.trailingZeroBitCount, left)
      g >>= UInt64(zeros)
      u <<= Int64(zeros)
      v <<= Int64(zeros)
      delta += zeros
      left -= zeros
      guard left > 0 else { return }
      if delta > 0 {
        delta = -delta
        (f, g) = (g, 0 &- f)
        (u, q) = (q, 0 &- u)
        (v, r) = (r, 0 &- v)
      }
      // As many steps as do not exchange f and g add f to g where that makes it even: so many times in all that g's lowest bits become 0.
      let zeroed = UInt64(1) << UInt64(min(1 - delta, left, 6)) &- 1
      let times = (f &* g &* (f &* f &- 2)) & zeroed
      g = g &+ f &* times
      q = q &+ u &* Int64(times)
      r = r &+ v &* Int64(times)
    }
  }

  func apply(to f: inout SignedNumber, _ g: inout SignedNumber) {
    let (nextF, nextG) = (f.sum(u, g, v), f.sum(q, g, r))
    (f, g) = (nextF, nextG)
  }

  /// A multiple of the modulus makes the lowest bits 0; another one keeps d and e between minus twice the modulus and the modulus.
  func apply(to d: inout SignedNumber, _ e: inout SignedNumber, modulo modulus: SignedNumber, _ inverse: UInt64) {
    func next(_ a: Int64, _ b: Int64) -> SignedNumber {
      let few = (d.isNegative ? a : 0) &+ (e.isNegative ? b : 0)
      let lowest = UInt64(bitPattern: a) &* d.lowestBits &+ UInt64(bitPattern: b) &* e.lowestBits
      let times = few &- Int64((inverse &* lowest &+ UInt64(bitPattern: few)) & SignedNumber.mask)
      return d.sum(a, e, b, modulus, times)
    }
    let (nextD, nextE) = (next(u, v), next(q, r))
    (d, e) = (nextD, nextE)
  }
}

/// Five digits to the base 2^62, of which the highest has the sign.
private struct SignedNumber {
  static let bits = 62
  static let mask: UInt64 = 1 << 62 - 1
  private static let base: Int64 = 1 << 62

  private var digits: InlineArray<5, Int64>

  init(_ small: Int64) {
    digits = InlineArray(repeating: 0)
    digits[0] = small
  }

  /// Nil for more than 256 bits.
  init?(_ number: OpaquePointer?) {
    var words = InlineArray<4, UInt64>(repeating: 0)
    var span = words.mutableSpan
    let written = unsafe span.withUnsafeMutableBytes { unsafe BN_bn2lebinpad(number, $0.baseAddress, Int32($0.count)) }
    guard written == 32 else { return nil }
    self.init(Int64(words[0] & Self.mask))
    for i in 1..<4 { digits[i] = Int64((words[i - 1] >> UInt64(64 - 2 * i) | words[i] << UInt64(2 * i)) & Self.mask) }
    digits[4] = Int64(words[3] >> 56)
  }

  /// Of a number that is not negative.
  func write(to number: OpaquePointer?) -> Bool {
    var words = InlineArray<4, UInt64>(repeating: 0)
    for i in 0..<4 { words[i] = UInt64(digits[i]) >> UInt64(2 * i) | UInt64(digits[i + 1]) << UInt64(62 - 2 * i) }
    return unsafe words.span.withUnsafeBytes { unsafe BN_lebin2bn($0.baseAddress, Int32($0.count), number) != nil }
  }

  /// As many as a matrix of 62 steps depends on, and two more.
  var lowestBits: UInt64 { UInt64(bitPattern: digits[0]) | UInt64(bitPattern: digits[1]) << 62 }
  var isZero: Bool { digits[0] | digits[1] | digits[2] | digits[3] | digits[4] == 0 }
  var isNegative: Bool { digits[4] < 0 }

  /// (a self + b other + c third) / 2^62.
  @inline(__always) func sum(_ a: Int64, _ other: Self, _ b: Int64, _ third: Self = Self(0), _ c: Int64 = 0) -> Self {
    var (sum, carry) = (self, Int128(0))
    for i in 0..<5 {
      carry = carry &+ Self.product(a, digits[i]) &+ Self.product(b, other.digits[i]) &+ Self.product(c, third.digits[i])
      if i > 0 { sum.digits[i - 1] = Int64(truncatingIfNeeded: carry) & Int64(Self.mask) }
      carry >>= 62
    }
    sum.digits[4] = Int64(truncatingIfNeeded: carry)
    return sum
  }

  mutating func add(_ other: Self) { self = sum(Self.base, other, Self.base) }
  mutating func negate() { self = sum(-Self.base, self, 0) }

  @inline(__always) private static func product(_ a: Int64, _ b: Int64) -> Int128 {
    let product = a.multipliedFullWidth(by: b)
    return Int128(product.high) << 64 | Int128(product.low)
  }
}
