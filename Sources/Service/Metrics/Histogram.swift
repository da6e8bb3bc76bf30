internal import Encoding

/// How many values fell into each of some fixed ranges, and their sum.
struct Histogram: Sendable {
  /// What is measured, which decides the ranges.
  enum Scale: Sendable {
    /// Nanoseconds, shown as seconds.
    case time
    /// Numbers of things.
    case size

    /// The upper bounds, ascending.
    var bounds: [UInt64] {
      switch self {
      case .time: Histogram.times
      case .size: Histogram.sizes
      }
    }
  }

  private let scale: Scale
  /// One more than there are bounds.
  private var counts: [UInt64]
  private var sum: UInt64 = 0

  init(_ scale: Scale) {
    self.scale = scale
    counts = [UInt64](repeating: 0, count: scale.bounds.count + 1)
  }

  mutating func note(_ value: UInt64) {
    counts[scale.bounds.firstIndex { value <= $0 } ?? counts.count - 1] += 1
    sum &+= value
  }

  mutating func add(_ other: Histogram) {
    for place in counts.indices { counts[place] += other.counts[place] }
    sum &+= other.sum
  }

  var shown: PrometheusText.Distribution {
    switch scale {
    case .time: .init(bounds: scale.bounds.map(Self.seconds), counts: counts, sum: Self.seconds(sum))
    case .size: .init(bounds: scale.bounds.map { String($0) }, counts: counts, sum: String(sum))
    }
  }

  /// From 10 µs to 5 s.
  private static let times: [UInt64] = [
    10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 500_000_000,
    1_000_000_000, 5_000_000_000,
  ]
  private static let sizes: [UInt64] = [1, 2, 4, 8, 16, 32, 64, 128]

  /// Such as `0.00025`, without zeros at the end.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    var fraction = String(String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst())
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return String(nanoseconds / 1_000_000_000) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
