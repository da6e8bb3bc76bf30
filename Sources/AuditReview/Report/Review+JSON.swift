package import Encoding

extension Review {
  /// The report for programs: each section's rows as in the tables.
  package func json(_ finding: ReviewFinding, keys: [KeyStanding]?) -> CanonicalJSON {
    var members: [CanonicalJSON.Member] = [
      .init("records", .integer(Int64(records.count))), .init("requests", .integer(Int64(requestCount))), .init("since", .string(since.wholeSeconds)),
      .init("sections", .object(sections(keys: keys).map { .init($0.id, .array($0.rows.map { .array($0.map(\.json)) })) })),
      .init("verification", .string(finding.text)),
    ]
    if let until { members.append(.init("until", .string(until.wholeSeconds))) }
    return .object(members)
  }
}

extension ReviewSection.Cell {
  fileprivate var json: CanonicalJSON { isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text) }
}
