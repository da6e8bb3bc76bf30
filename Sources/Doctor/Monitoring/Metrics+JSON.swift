package import Format

extension Metrics {
  /// The same as `text`; numbers are strings, as in the answers of Prometheus.
  package var json: CanonicalJSON {
    .array(
      families.map { family in
        [
          "help": .string(family.help), "name": .string(family.name), "type": .string(family.kind.rawValue),
          "samples": .array(family.series.map { Self.json($0, family.kind) }),
        ]
      })
  }

  private static func json(_ series: Series, _ kind: Kind) -> CanonicalJSON {
    let labels = CanonicalJSON.object(series.labels.map { .init($0.name, .string($0.value)) })
    guard kind == .histogram else { return ["labels": labels, "value": .string(series.value)] }
    return [
      "buckets": .array(series.buckets.map { ["count": .string(String($0.count)), "le": .string($0.bound)] }),
      "count": .string(String(series.count)), "labels": labels, "sum": .string(series.value),
    ]
  }
}
