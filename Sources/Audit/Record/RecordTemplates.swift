package import Format
package import Policy

/// The text that the records of one caller's requests for one operation with one key have in common, so that it is written only once.
///
/// What a request brings along (its number, its inputs, what was released) is never part of the text that is kept, except that of a
/// record without inputs, whose outcome is kept with it.
package struct RecordTemplates {
  /// The rule that the text names; under another it is written anew.
  private var coverage: Coverage?
  private var fixed = FixedText()
  /// Records without inputs, by their outcome.
  private var whole: [(outcome: Outcome, draft: Draft)] = []

  /// How many outcomes are kept.
  static let capacity = 4

  package init() {}

  /// How many records are kept whole.
  var count: Int { whole.count }

  /// As `Attempt(_:allowed:_:inputs:furtherKeys:)`, with the same text.
  ///
  /// - Parameters:
  ///   - id: the request's number.
  ///   - facts: what is known of the request; asked for only if text must be written anew.
  package mutating func attempt(
    _ id: UInt64, allowed grant: consuming Grant, _ outcome: Outcome, inputs: Inputs?, furtherKeys: [KeyID], _ facts: () -> RequestFacts
  ) -> Attempt {
    guard furtherKeys.isEmpty else { return Attempt(facts(), allowed: grant, outcome, inputs: inputs, furtherKeys: furtherKeys) }
    if coverage !== grant.coverage { begin(facts(), grant) }
    let user = grant.caller.person
    if inputs == nil, let known = whole.first(where: { $0.outcome == outcome }) { return Attempt(known.draft.numbered(id), of: user) }
    let draft = draft(id, grant.opcode, outcome, inputs)
    if inputs == nil {
      if whole.count >= Self.capacity { whole = [] }
      whole.append((outcome, draft))
    }
    return Attempt(draft, of: user)
  }

  private mutating func begin(_ facts: RequestFacts, _ grant: borrowing Grant) {
    (coverage, whole) = (grant.coverage, [])
    fixed = FixedText(RecordFields(facts, allowed: grant))
  }

  private func draft(_ id: UInt64, _ opcode: Opcode, _ outcome: Outcome, _ inputs: Inputs?) -> Draft {
    var fields = RecordFields(operation: opcode.name)
    fields.fixed = fixed
    fields.request = id
    if let inputs { fields.inputs = inputs }
    fields.add(outcome)
    return Draft(fields)
  }
}

/// The parts of a record that stay the same, as members of its object.
struct FixedText: Sendable {
  /// `actor`.
  private(set) var actor: [UInt8] = []
  /// From `key` to `policy`, of a record without `keys`.
  private(set) var keyToPolicy: [UInt8] = []

  init() {}

  init(_ fields: RecordFields) {
    actor = CanonicalJSONWriter.members(fields.writeActor)
    keyToPolicy = CanonicalJSONWriter.members(fields.writeKeyToPolicy)
  }
}
