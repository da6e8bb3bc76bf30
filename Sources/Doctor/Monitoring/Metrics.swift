// Monitoring: what a daemon and its host tell a program that watches them, as Prometheus' text and as JSON.
// It gives each number its name, its help and its labels.
// It must not know sockets, files or when a number is a reason to worry.

/// Metrics, in the order in which they were added.
package struct Metrics: Sendable {
  package typealias Label = (name: String, value: String)

  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  struct Series: Sendable {
    let labels: [Label]
    /// Of a histogram the sum of what it counted.
    var value: String
    /// Of a histogram: how many values were at most so large, by ascending bounds.
    var buckets: [(bound: String, count: UInt64)] = []

    /// Of a histogram: how many values there were.
    var count: UInt64 { buckets.last?.count ?? 0 }
  }

  struct Family: Sendable {
    let name, help: String
    let kind: Kind
    let series: [Series]
  }

  private(set) var families: [Family] = []

  package init() {}

  /// Adds a counter, if its name ends in `_total`, or a gauge; nothing where there are no samples.
  package mutating func add(_ name: String, _ help: String, _ samples: [(labels: [Label], value: UInt64)]) {
    add(name, help, name.hasSuffix("_total") ? .counter : .gauge, samples.map { Series(labels: $0.labels, value: String($0.value)) })
  }

  mutating func add(_ name: String, _ help: String, _ kind: Kind, _ series: [Series]) {
    if !series.isEmpty { families.append(Family(name: name, help: help, kind: kind, series: series)) }
  }
}
