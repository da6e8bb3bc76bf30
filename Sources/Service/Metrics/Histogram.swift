/// How many values fell into each of some fixed ranges, and their sum.
struct Histogram: Sendable {
  /// The upper bounds, ascending.
  let bounds: [UInt64]
  /// One more than there are bounds.
  private(set) var counts: [UInt64]
  private(set) var sum: UInt64 = 0

  init(_ bounds: [UInt64]) { (self.bounds, counts) = (bounds, [UInt64](repeating: 0, count: bounds.count + 1)) }

  mutating func note(_ value: UInt64, times: UInt64 = 1) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += times
    sum &+= value &* times
  }

  mutating func add(_ other: Histogram) {
    for place in counts.indices { counts[place] += other.counts[place] }
    sum &+= other.sum
  }

  /// From 10 µs to 5 s, in nanoseconds.
  static let times: [UInt64] = [
    10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 500_000_000,
    1_000_000_000, 5_000_000_000,
  ]
  /// Numbers of things.
  static let sizes: [UInt64] = [1, 2, 4, 8, 16, 32, 64, 128]
}
