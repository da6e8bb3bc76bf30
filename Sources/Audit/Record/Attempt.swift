package import Format
package import Policy

/// The outcome of one request, or an event, that must be in the log before any of it leaves the
/// daemon.
///
/// It cannot be copied; dropping one that was not added to a `Batch` traps.
package struct Attempt: ~Copyable, Sendable {
  private let draft: Draft
  /// The user who asked, for a subordinate uid its owner; nil for an event.
  let user: UInt32?
  private var isHandedOver = false

  /// A request that policy allowed; uses up its grant.
  package init(
    _ request: RequestFacts, allowed grant: consuming Grant, _ outcome: Outcome,
    inputs: Inputs? = nil, furtherKeys: [KeyID] = []
  ) {
    var fields = RecordFields(request, allowed: grant)
    if let inputs { fields.inputs = inputs }
    fields.furtherKeys = furtherKeys
    fields.add(outcome)
    draft = Draft(fields)
    user = request.caller.person
  }

  /// A request that was refused before it was carried out.
  package init(_ request: RequestFacts, _ refusal: RefusalReason) {
    switch refusal {
    case .denied(let denial): self.init(request, denied: denial)
    case .refused(let status): self.init(request, refused: status)
    }
  }

  /// Many refused requests of one caller, as one record.
  package init(_ refusals: CountedRefusals, of caller: Caller) {
    var fields = RecordFields(operation: RecordName.refusals)
    fields.caller = caller
    fields.event = .refusals(refusals)
    draft = Draft(fields)
    user = caller.person
  }

  /// A request that policy denied.
  package init(_ request: RequestFacts, denied denial: Denial) {
    var fields = RecordFields(request)
    fields.policy = RecordFields.PolicyFacts(digest: request.policy, ruling: .deny(denial))
    fields.result = .denied
    draft = Draft(fields)
    user = request.caller.person
  }

  /// A request that was refused before policy was asked.
  package init(_ request: RequestFacts, refused status: Status) {
    var fields = RecordFields(request)
    fields.result = status
    draft = Draft(fields)
    user = request.caller.person
  }

  package init(_ event: Event) {
    draft = Draft(event)
    user = nil
  }

  init(_ draft: Draft, of user: UInt32) {
    self.draft = draft
    self.user = user
  }

  /// An entry of a ceremony's transcript, which has the log's form but its own origin; the daemon
  /// makes none.
  ///
  /// - Parameter event: an object of public values, together well below the 65,535 bytes of a
  ///   record.
  package init(transcript operation: String, _ event: CanonicalJSON) {
    var fields = RecordFields(operation: operation)
    fields.event = .transcript(event)
    draft = Draft(fields)
    user = nil
  }

  consuming func handOver() -> Draft {
    isHandedOver = true
    return draft
  }

  deinit { precondition(isHandedOver, "an attempt was dropped without a record") }
}

/// The attempts of one read batch, in order; dropping a batch that is not empty and was not
/// committed traps.
package struct Batch: ~Copyable, Sendable {
  private var drafts: [Draft] = []
  /// The user who asked; nil for the daemon's own records.
  private(set) var user: UInt32?

  package init() {}

  package init(_ attempt: consuming Attempt) { add(attempt) }

  package var count: Int { drafts.count }

  package mutating func add(_ attempt: consuming Attempt) {
    user = user ?? attempt.user
    drafts.append(attempt.handOver())
  }

  /// Appends another batch's attempts.
  package mutating func add(_ other: consuming Batch) { drafts += other.handOver() }

  /// Drops the attempts, when there will be no log for them.
  package mutating func abandon() { drafts = [] }

  consuming func handOver() -> [Draft] {
    let all = drafts
    drafts = []
    return all
  }

  deinit { precondition(drafts.isEmpty, "a batch was dropped without a commit") }
}

extension RecordFields {
  init(_ request: RequestFacts, allowed grant: borrowing Grant) {
    self.init(request)
    policy = PolicyFacts(
      digest: request.policy, ruling: .allow(grant: grant.id, group: grant.group, unit: grant.unit))
  }

  mutating func add(_ outcome: Outcome) {
    switch outcome {
    case .done(let released, let secrets):
      (result, self.released, self.secrets) = (.ok, released, secrets)
    case .rejected(let stage): (result, self.stage) = (.rejected, stage)
    case .busy(let stage): (result, self.stage) = (.busy, stage)
    case .failed(let status): result = status
    }
  }

  fileprivate init(_ request: RequestFacts) {
    self.init(operation: request.operation.name)
    caller = request.caller
    key = request.key == KeyID.none ? nil : request.key
    label = request.label
    self.request = request.id
  }
}

extension RequestFacts.Operation {
  fileprivate var name: String {
    switch self {
    case .known(let opcode): opcode.name
    case .unknown(let number): "opcode-" + Hex.encode([UInt8(number >> 8), UInt8(number & 0xFF)])
    case .unreadable: "unreadable"
    }
  }
}
