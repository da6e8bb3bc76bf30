import Glibc

/// Welch's t-test over the times of two classes of input (O. Reparaz, J. Balasch, I. Verbauwhede,
/// "Dude, is my code constant time?", DATE 2017): above 4.5 their times differ.
enum Welch {
  private static let rounds = 1_000_000
  /// Interrupts and other programs lengthen some measurements; so the test is also made without the
  /// slowest.
  private static let kept = [1.0, 0.99, 0.95, 0.9, 0.75, 0.5]

  /// The largest |t| over all cuts.
  static func largest(of classes: Classes) throws -> Double {
    let times = measure(classes)
    let sorted = (times.first + times.second).sorted()
    return kept.map { share in
      let limit = sorted[Int(Double(sorted.count - 1) * share)]
      return abs(t(times.first.filter { $0 <= limit }, times.second.filter { $0 <= limit }))
    }.max() ?? 0
  }

  /// Both classes in a random order, so that whatever else changes with time changes for both, and
  /// from one place in memory.
  private static func measure(_ classes: Classes) -> (first: [Double], second: [Double]) {
    var times: (first: [Double], second: [Double]) = ([], [])
    var input = classes.first
    for _ in 0..<rounds {
      let isFirst = Bool.random()
      for i in input.indices { input[i] = isFirst ? classes.first[i] : classes.second[i] }
      let start = now()
      let isAccepted = classes.accepts(input.span)
      let time = Double(now() - start)
      guard !isAccepted else { fatalError("both classes are to be refused") }
      if isFirst { times.first.append(time) } else { times.second.append(time) }
    }
    return times
  }

  private static func t(_ a: [Double], _ b: [Double]) -> Double {
    let x = Moments(a)
    let y = Moments(b)
    let deviation = (x.variance / Double(a.count) + y.variance / Double(b.count)).squareRoot()
    return deviation == 0 ? 0 : (x.mean - y.mean) / deviation
  }

  private struct Moments {
    let mean, variance: Double

    init(_ values: [Double]) {
      let mean = values.reduce(0, +) / Double(values.count)
      self.mean = mean
      variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }
  }

  /// In nanoseconds.
  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
