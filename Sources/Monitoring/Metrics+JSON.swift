package import Encoding

extension Metrics {
  /// The same as `text`; numbers are strings, as in the answers of Prometheus.
  package var json: CanonicalJSON {
    .array(
      families.map { family in
        .object([
          .init("help", .string(family.help)), .init("name", .string(family.name)), .init("type", .string(family.kind.rawValue)),
          .init("samples", .array(family.series.map { Self.json($0, family.kind) })),
        ])
      })
  }

  private static func json(_ series: Series, _ kind: Kind) -> CanonicalJSON {
    let labels = CanonicalJSON.Member("labels", .object(series.labels.map { .init($0.name, .string($0.value)) }))
    guard kind == .histogram else { return .object([labels, .init("value", .string(series.value))]) }
    let buckets = series.buckets.map { CanonicalJSON.object([.init("count", .string(String($0.count))), .init("le", .string($0.bound))]) }
    return .object([labels, .init("buckets", .array(buckets)), .init("count", .string(String(series.count))), .init("sum", .string(series.value))])
  }
}
