import Crypto
import Format
import Policy

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

  enum EventBody {
    case daemon(Event)
    case log(LogEvent)
    case refusals(CountedRefusals)
    case transcript(CanonicalJSON)
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

  /// In bytes of UTF-8: the kernel's longest path; unit names. Labels and grant ids are bounded by
  /// their own modules as well.
  private static let (pathLimit, nameLimit) = (4096, 256)

  /// Bytes of the longest label, with its name, and of the longest denial.
  private static let paddedCount = #""label":"","#.utf8.count + 128 + 17

  func writeActor(into writer: inout CanonicalJSONWriter) {
    if let fixed { return writer.members(fixed.actor) }
    guard let caller else { return }
    writer.name("actor")
    writer.object { writer in
      writer.member("exe", caller.executable?.bounded(Self.pathLimit))
      writer.member("gid", Int64(caller.gid))
      writer.member("name", caller.name?.bounded(Self.nameLimit))
      writer.member("owner", caller.owner.map(Int64.init))
      writer.member("owner_name", caller.ownerName?.bounded(Self.nameLimit))
      writer.member("pid", Int64(caller.pid))
      writer.member("uid", Int64(caller.uid))
      writer.member("unit", caller.unit?.bounded(Self.nameLimit))
    }
  }

  func writeEventToPolicy(into writer: inout CanonicalJSONWriter) {
    if let event {
      writer.name("event")
      switch event {
      case .daemon(let event): writer.object { event.write(into: &$0) }
      case .log(let event): writer.object { event.write(into: &$0) }
      case .refusals(let counted): writer.object { counted.write(into: &$0) }
      case .transcript(let event): event.write(into: &writer)
      }
    }
    inputs.write(into: &writer)
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
    writer.member("label", label?.bounded(Self.nameLimit))
    writer.member("op", operation)
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
    writer.member("result", result.name)
  }

  func writeStage(into writer: inout CanonicalJSONWriter) {
    guard let stage else { return }
    writer.member("stage", stage.name)
  }

  /// Makes the record of a denied request as long for an absent key as for a forbidden one, whose
  /// label it has: a caller who measures how long a refusal takes learns nothing from what is
  /// written and hashed. [AUD-REC-7]
  private func writePadding(into writer: inout CanonicalJSONWriter) {
    guard key != nil, case .deny(let denial) = policy?.ruling else { return }
    let named = label.map { #""label":"","#.utf8.count + $0.utf8.count } ?? 0
    writer.member(
      "pad",
      String(repeating: " ", count: max(0, Self.paddedCount - named - denial.name.utf8.count)))
  }

  private func writePolicy(into writer: inout CanonicalJSONWriter) {
    guard let policy else { return }
    writer.name("policy")
    writer.object { writer in
      writer.name("decision")
      switch policy.ruling {
      case .allow(let grant, let group, _):
        writer.string("allow")
        writer.member("grant", grant.bounded(Self.nameLimit))
        if let group { Self.write(group, into: &writer) }
      case .deny(let denial):
        writer.string("deny")
        writer.member("denial", denial.name)
        writer.member("grant", denial.grant?.bounded(Self.nameLimit))
      }
      writer.member("sha256", hex: policy.digest.span)
      if case .allow(_, _, let unit?) = policy.ruling {
        writer.member("unit", unit.bounded(Self.nameLimit))
      }
    }
  }

  private static func write(_ group: Principal, into writer: inout CanonicalJSONWriter) {
    writer.member("group", Int64(group.id))
    guard let name = group.name else { return }
    writer.member("group_name", name.bounded(nameLimit))
  }
}

// Sorted by name. In two parts: without optimisation each member that is read takes stack, and
// requests are recorded on a secret stack.
extension Inputs {
  fileprivate func write(into writer: inout CanonicalJSONWriter) {
    guard !isEmpty else { return }
    writer.name("in")
    writer.object { writer in
      writeToLocal(&writer)
      writeFromPAN(&writer)
    }
  }

  private func writeToLocal(_ writer: inout CanonicalJSONWriter) {
    writer.member("activation", activation?.rawValue)
    if let amount, amount <= UInt64(CanonicalJSON.integerLimit) {
      writer.member("amount", Int64(amount))
    }
    if let approval {
      writer.member("approval", approval.request)
      writer.member("approved_by", approval.by.map(Int64.init))
      writer.member("approved_by_name", approval.byName)
    }
    if let backup {
      writer.name("backup")
      writer.object { writer in backup.write(into: &writer) }
    }
    if let claim {
      writer.member("claim", hex: claim.span)
    }
    writer.member("currency", currency.map(Int64.init))
    if let drill {
      writer.name("drill")
      writer.object { writer in drill.write(into: &writer) }
    }
    writer.member("envelope", envelope?.text)
    writer.member("field", field?.name)
    writer.member("ledger", ledger.map(Int64.init(clamping:)))
    if let local {
      writer.name("local")
      writer.object { writer in local.write(into: &writer) }
    }
  }

  private func writeFromPAN(_ writer: inout CanonicalJSONWriter) {
    writer.member("pan", pan?.text)
    writer.member("partner", partner)
    writer.member("required", required?.name)
    writer.member("retry", retry?.text)
    writer.member("retry_host", retryHost)
    writer.member("retry_of", retryOf.map(Int64.init(clamping:)))
    if let review {
      writer.name("review")
      writer.object { writer in review.write(into: &writer) }
    }
    writer.member("scheme", scheme.map { Int64($0.rawValue) })
    if !sealed.isEmpty {
      writer.name("sealed")
      writer.array { writer in
        for field in sealed.fields {
          writer.element()
          writer.string(field.name)
        }
      }
    }
    if let share {
      writer.member("share", hex: share.span)
    }
    writer.member("subject", subject?.text)
    writer.member("submitted", submitted?.description)
    writer.member("transaction", transaction?.text)
  }
}

extension String {
  /// The longest prefix of whole code points that fits in `limit` bytes.
  func bounded(_ limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var kept = ""
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      if count > limit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }
}
