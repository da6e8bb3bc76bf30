package import Encoding

extension Review {
  /// The report for programs: each section's rows as in the tables.
  package func json(_ finding: ReviewFinding, keys: [KeyStanding]?) -> CanonicalJSON {
    [
      "records": .integer(Int64(records.count)), "requests": .integer(Int64(requestCount)), "since": .string(since.wholeSeconds),
      "sections": .object(sections(keys: keys).map { .init($0.id, .array($0.rows.map { .array($0.map(\.json)) })) }),
      "verification": .string(finding.text),
      "until": until.map { .string($0.wholeSeconds) },
    ]
  }
}

extension ReviewSection.Cell {
  fileprivate var json: CanonicalJSON { isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text) }
}
