package import Format

extension Metrics {
  /// Adds what the daemon answered to `metrics`.
  package mutating func add(_ reply: MetricsReply) {
    for (metric, figures) in Dictionary(grouping: reply.figures, by: \.metric).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let name = MetricName(metric)
      let isHistogram = figures.contains { $0.bound > 0 }
      let kind: Kind = isHistogram ? .histogram : name.name.hasSuffix("_total") ? .counter : .gauge
      // Nanoseconds; moments are in seconds.
      let isTime = metric == .processorTime || isHistogram && name.name.hasSuffix("_seconds")
      add(name.name, name.help, kind, Self.series(of: figures, metric, name.labels, isTime ? Self.seconds : { String($0) }))
    }
  }

  /// In the order in which their labels first come.
  private static func series(of figures: [MetricsReply.Figure], _ metric: Metric, _ labels: [String], _ text: (UInt64) -> String) -> [Series] {
    var (order, parts): ([[String]], [[String]: [UInt64: UInt64]]) = ([], [:])
    for figure in figures {
      let values = metric == .computeTimes ? figure.labels.map(operationClass) : figure.labels
      if parts[values] == nil { order.append(values) }
      parts[values, default: [:]][figure.bound, default: 0] &+= figure.value
    }
    return order.map { values in
      let values = (labels: values, parts: parts[values, default: [:]])
      var series = Series(labels: Array(zip(labels, values.labels)), value: text(values.parts[0, default: 0]))
      var below: UInt64 = 0
      for (bound, count) in values.parts.sorted(by: { $0.key < $1.key }) where bound > 0 {
        below &+= count
        series.buckets.append((bound == .max ? "+Inf" : text(bound), below))
      }
      return series
    }
  }

  /// Operations that take about as long as one another, by the blocks of their numbers; those that no operation has count as general.
  private static func operationClass(_ operation: String) -> String {
    switch Opcode(name: operation)?.rawValue ?? 0 {
    case 0x0010..<0x0020: "tokens"
    case 0x0020..<0x0030: "passes"
    case 0x0030..<0x0040: "codes"
    case 0x0040..<0x0050: "primitives"
    case 0x0050..<0x0060: "cards"
    case 0x0100...: "operators"
    default: "general"
    }
  }

  /// Such as `0.00025`, without zeros at the end.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    var fraction = String(String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst())
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return String(nanoseconds / 1_000_000_000) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
