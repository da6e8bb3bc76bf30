extension Metrics {
  /// In Prometheus' text format 0.0.4.
  package var text: String { families.map(Self.text).joined() }

  private static func text(_ family: Family) -> String {
    var text = "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
    for series in family.series {
      guard family.kind == .histogram else {
        text += sample(family.name, series.labels, series.value)
        continue
      }
      for bucket in series.buckets { text += sample(family.name + "_bucket", series.labels + [("le", bucket.bound)], String(bucket.count)) }
      text += sample(family.name + "_sum", series.labels, series.value) + sample(family.name + "_count", series.labels, String(series.count))
    }
    return text
  }

  private static func sample(_ name: String, _ labels: [Label], _ value: String) -> String {
    let inner = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    return name + (inner.isEmpty ? "" : "{\(inner)}") + " \(value)\n"
  }

  /// By Unicode scalar: a line feed after a carriage return is no `Character` of its own.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0 == "\n" ? "\\n" : String($0) }.joined()
  }
}
