/// Metrics in Prometheus' text format 0.0.4.
package struct PrometheusText: Sendable {
  package typealias Label = (name: String, value: String)

  /// Values in fixed ranges: how many were at most each bound but above the one before, and how many above all of them.
  package struct Distribution: Sendable {
    /// The upper bounds, ascending, as the label `le` has them.
    package let bounds: [String]
    /// One more than there are bounds.
    package let counts: [UInt64]
    package let sum: String

    package init(bounds: [String], counts: [UInt64], sum: String) { (self.bounds, self.counts, self.sum) = (bounds, counts, sum) }
  }

  package private(set) var text = ""

  package init() {}

  /// Adds a counter, if its name ends in `_total`, or a gauge; nothing where there are no samples.
  package mutating func add(_ name: String, _ help: String, _ samples: [(labels: [Label], value: UInt64)]) {
    guard !samples.isEmpty else { return }
    begin(name, help, name.hasSuffix("_total") ? "counter" : "gauge")
    for (labels, value) in samples { addSample(name, labels, String(value)) }
  }

  /// Adds a histogram; each bucket also counts those below it.
  package mutating func add(_ name: String, _ help: String, _ series: [(labels: [Label], values: Distribution)]) {
    begin(name, help, "histogram")
    for (labels, values) in series {
      var below: UInt64 = 0
      for (bound, count) in zip(values.bounds + ["+Inf"], values.counts) {
        below += count
        addSample(name + "_bucket", labels + [("le", bound)], String(below))
      }
      addSample(name + "_sum", labels, values.sum)
      addSample(name + "_count", labels, String(below))
    }
  }

  /// Adds what another wrote in this format.
  package mutating func add(written other: String) { text += other }

  private mutating func begin(_ name: String, _ help: String, _ kind: String) { text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" }

  private mutating func addSample(_ name: String, _ labels: [Label], _ value: String) {
    let inner = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    text += name + (inner.isEmpty ? "" : "{\(inner)}") + " \(value)\n"
  }

  /// By Unicode scalar: a line feed after a carriage return is no `Character` of its own.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0 == "\n" ? "\\n" : String($0) }.joined()
  }
}
