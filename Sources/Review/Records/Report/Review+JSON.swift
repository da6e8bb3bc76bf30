package import Format

extension Review {
  /// The report for programs: each section's rows as in the tables.
  package func json(_ finding: ReviewFinding, keys: [KeyStanding]?, _ imprint: Imprint) -> CanonicalJSON {
    [
      "host": .string(imprint.host), "log": .string(imprint.log), "made": .string(imprint.made.wholeSeconds),
      "records": .integer(Int64(records.count)), "requests": .integer(Int64(requestCount)), "since": .string(since.wholeSeconds),
      "sections": .object(sections(keys: keys).map { .init($0.id, .array($0.rows.map { .array($0.map(\.json)) })) }),
      "verdict": .string(finding.verdict), "verification": .string(finding.text), "verifier_key": imprint.verifierKey.map { .string($0) },
      "version": .string(imprint.version),
      "until": until.map { .string($0.wholeSeconds) },
    ]
  }
}

extension ReviewSection.Cell {
  fileprivate var json: CanonicalJSON { isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text) }
}
