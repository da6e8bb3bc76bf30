internal import CryptoBackend
internal import Encoding
internal import Policy
internal import Wire

/// The allow-list of everything that a record can say, written in alphabetical order of the names.
struct RecordFields {
  let operation: String
  var caller: Caller?
  var event: EventBody?
  var inputs = Inputs()
  var key: KeyID?
  var furtherKeys: [KeyID] = []
  var label: String?
  var policy: PolicyFacts?
  var released = ReleasedFields()
  var secrets = ReleasedSecrets()
  var request: UInt64?
  var result: Status?
  var stage: Stage?
  /// What is written in place of caller, key, label, operation and policy.
  var fixed: FixedText?

  init(operation: String) { self.operation = operation }

  enum EventBody {
    case daemon(Event)
    case log(LogEvent)
    case refusals(CountedRefusals)
    case transcript([CanonicalJSON.Member])
  }

  struct PolicyFacts {
    let digest: Digest256
    let ruling: Ruling

    enum Ruling {
      /// With the group and the unit by which the grant covers its caller.
      case allow(grant: String, group: Principal?, unit: String?)
      case deny(Denial)
    }
  }

  /// In bytes of UTF-8: the kernel's longest path; unit names. Labels and grant ids are bounded by their own modules as well.
  private static let (pathLimit, nameLimit) = (4096, 256)

  /// Bytes of the longest label, with its name, and of the longest denial.
  private static let paddedCount = #""label":"","#.utf8.count + 128 + 17

  func writeActor(into writer: inout CanonicalJSONWriter) {
    if let fixed { return writer.members(fixed.actor) }
    guard let caller else { return }
    writer.name("actor")
    writer.object { writer in
      if let path = caller.executable {
        writer.name("exe")
        writer.string(path.bounded(Self.pathLimit))
      }
      writer.name("gid")
      writer.integer(Int64(caller.gid))
      if let name = caller.name {
        writer.name("name")
        writer.string(name.bounded(Self.nameLimit))
      }
      if let owner = caller.owner {
        writer.name("owner")
        writer.integer(Int64(owner))
      }
      if let name = caller.ownerName {
        writer.name("owner_name")
        writer.string(name.bounded(Self.nameLimit))
      }
      writer.name("pid")
      writer.integer(Int64(caller.pid))
      writer.name("uid")
      writer.integer(Int64(caller.uid))
      if let unit = caller.unit {
        writer.name("unit")
        writer.string(unit.bounded(Self.nameLimit))
      }
    }
  }

  func writeEventToPolicy(into writer: inout CanonicalJSONWriter) {
    if let event {
      writer.name("event")
      switch event {
      case .daemon(let event): writer.object { event.write(into: &$0) }
      case .log(let event): writer.object { event.write(into: &$0) }
      case .refusals(let counted): writer.object { counted.write(into: &$0) }
      case .transcript(let members): CanonicalJSON.object(members).write(into: &writer)
      }
    }
    writeInputs(into: &writer)
    if let fixed { writer.members(fixed.keyToPolicy) } else { writeKeyToPolicy(into: &writer) }
  }

  func writeKeyToPolicy(into writer: inout CanonicalJSONWriter) {
    if let key {
      writer.name("key")
      writer.hex(key.high, key.low)
    }
    if !furtherKeys.isEmpty {
      writer.name("keys")
      writer.array { writer in
        for key in furtherKeys {
          writer.element()
          writer.hex(key.high, key.low)
        }
      }
    }
    if let label {
      writer.name("label")
      writer.string(label.bounded(Self.nameLimit))
    }
    writer.name("op")
    writer.string(operation)
    writePadding(into: &writer)
    writePolicy(into: &writer)
  }

  func writeReleased(into writer: inout CanonicalJSONWriter) {
    guard !released.isEmpty || !secrets.isEmpty else { return }
    writer.name("released")
    writer.array { writer in
      for name in released.fields.map(\.name) + secrets.secrets.map(\.name) {
        writer.element()
        writer.string(name)
      }
    }
  }

  func writeResult(into writer: inout CanonicalJSONWriter) {
    guard let result else { return }
    writer.name("result")
    writer.string(result.name)
  }

  func writeStage(into writer: inout CanonicalJSONWriter) {
    guard let stage else { return }
    writer.name("stage")
    writer.string(stage.name)
  }

  private func writeInputs(into writer: inout CanonicalJSONWriter) {
    guard !inputs.isEmpty else { return }
    writer.name("in")
    writer.object { writer in
      Self.write("activation", inputs.activation?.rawValue, into: &writer)
      if let amount = inputs.amount, amount <= UInt64(CanonicalJSON.integerLimit) {
        writer.name("amount")
        writer.integer(Int64(amount))
      }
      if let approval = inputs.approval {
        writer.name("approval")
        writer.string(approval.request)
        Self.write("approved_by", approval.by.map(UInt64.init), into: &writer)
        Self.write("approved_by_name", approval.byName, into: &writer)
      }
      if let backup = inputs.backup {
        writer.name("backup")
        writer.object { writer in backup.write(into: &writer) }
      }
      if let claim = inputs.claim {
        writer.name("claim")
        writer.hex(claim.span)
      }
      if let currency = inputs.currency {
        writer.name("currency")
        writer.integer(Int64(currency))
      }
      if let drill = inputs.drill {
        writer.name("drill")
        writer.object { writer in drill.write(into: &writer) }
      }
      Self.write("envelope", inputs.envelope, into: &writer)
      Self.write("field", inputs.field?.name, into: &writer)
      Self.write("ledger", inputs.ledger, into: &writer)
      if let local = inputs.local {
        writer.name("local")
        writer.object { writer in local.write(into: &writer) }
      }
      Self.write("pan", inputs.pan, into: &writer)
      Self.write("partner", inputs.partner, into: &writer)
      Self.write("required", inputs.required?.name, into: &writer)
      Self.write("retry", inputs.retry, into: &writer)
      Self.write("retry_host", inputs.retryHost, into: &writer)
      Self.write("retry_of", inputs.retryOf, into: &writer)
      if let review = inputs.review {
        writer.name("review")
        writer.object { writer in review.write(into: &writer) }
      }
      if !inputs.sealed.isEmpty {
        writer.name("sealed")
        writer.array { writer in
          for field in inputs.sealed.fields {
            writer.element()
            writer.string(field.name)
          }
        }
      }
      if let share = inputs.share {
        writer.name("share")
        writer.hex(share.span)
      }
      Self.write("subject", inputs.subject, into: &writer)
      Self.write("submitted", inputs.submitted?.description, into: &writer)
      Self.write("transaction", inputs.transaction, into: &writer)
    }
  }

  /// Makes the record of a denied request as long for an absent key as for a forbidden one, whose label it has: a caller who measures how
  /// long a refusal takes learns nothing from what is written and hashed. [AUD-REC-7]
  private func writePadding(into writer: inout CanonicalJSONWriter) {
    guard key != nil, case .deny(let denial) = policy?.ruling else { return }
    let named = label.map { #""label":"","#.utf8.count + $0.utf8.count } ?? 0
    writer.name("pad")
    writer.string(String(repeating: " ", count: max(0, Self.paddedCount - named - denial.name.utf8.count)))
  }

  private func writePolicy(into writer: inout CanonicalJSONWriter) {
    guard let policy else { return }
    writer.name("policy")
    writer.object { writer in
      writer.name("decision")
      switch policy.ruling {
      case .allow(let grant, let group, _):
        writer.string("allow")
        writer.name("grant")
        writer.string(grant.bounded(Self.nameLimit))
        if let group { Self.write(group, into: &writer) }
      case .deny(let denial):
        writer.string("deny")
        writer.name("denial")
        writer.string(denial.name)
        if let grant = denial.grant {
          writer.name("grant")
          writer.string(grant.bounded(Self.nameLimit))
        }
      }
      writer.name("sha256")
      writer.hex(policy.digest.span)
      if case .allow(_, _, let unit?) = policy.ruling {
        writer.name("unit")
        writer.string(unit.bounded(Self.nameLimit))
      }
    }
  }

  private static func write(_ name: String, _ digest: KeyedDigest?, into writer: inout CanonicalJSONWriter) {
    guard let digest else { return }
    writer.name(name)
    writer.string(digest.text)
  }

  private static func write(_ name: String, _ text: String?, into writer: inout CanonicalJSONWriter) {
    guard let text else { return }
    writer.name(name)
    writer.string(text)
  }

  private static func write(_ name: String, _ number: UInt64?, into writer: inout CanonicalJSONWriter) {
    guard let number else { return }
    writer.name(name)
    writer.integer(Int64(clamping: number))
  }

  private static func write(_ group: Principal, into writer: inout CanonicalJSONWriter) {
    writer.name("group")
    writer.integer(Int64(group.id))
    guard let name = group.name else { return }
    writer.name("group_name")
    writer.string(name.bounded(nameLimit))
  }
}
