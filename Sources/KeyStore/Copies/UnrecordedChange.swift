package import Crypto
package import Format

/// The step of a ceremony in which people change a store.
package struct CeremonyReference: Hashable, Sendable {
  /// The ceremony's id, followed from the second sitting on by `/` and the sitting's number.
  package let name: String
  /// The kind of step.
  package let step: String
  /// The people who answer for it: the administrator and those who read the values back.
  package let people: [String]
  /// The transcript's size and root when the step began.
  package let transcript: AuditAnchor

  package init(name: String, step: String, people: [String], transcript: AuditAnchor) {
    self.name = name
    self.step = step
    self.people = people
    self.transcript = transcript
  }
}

/// A change of which the audit log has no record yet, or may have none. [KS-UNRECORDED]
package struct UnrecordedChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case imported(KeyID), generated(KeyID), certified(KeyID)
    case entered(KeyState, KeyID)
    case resumed(KeyID)
    /// The KEK was split anew, under this number of the custodians' register.
    case reshared(Int)
    /// Everything was resealed under a new KEK, which has this number.
    case resealed(Int)
    /// A copy with this digest was made.
    case copied(Digest256)
    /// The store was restored from this copy, even if the log knows of later shares or another KEK.
    case restored(Digest256)

    /// The key that was changed, if it was one.
    var key: KeyID? {
      switch self {
      case .imported(let id), .generated(let id), .certified(let id), .entered(_, let id),
        .resumed(let id):
        id
      case .reshared, .resealed, .copied, .restored: nil
      }
    }
  }

  package enum Origin: Hashable, Sendable {
    case ceremony(CeremonyReference)
    /// These people asked a daemon for it, whose log had this many records: if there is a record of
    /// the change, it comes after them.
    case request(Persons, auditSize: UInt64)
  }

  package let kind: Kind
  package let origin: Origin

  /// How many records the log had before a request's change.
  package var auditSize: UInt64? { if case .request(_, let size) = origin { size } else { nil } }
}

extension Manifest {
  /// Adds what was changed, by comparison with the earlier manifest; nothing if neither a ceremony
  /// nor a request did it.
  ///
  /// - Parameter isGenerated: whether a new key was made here, and not imported.
  mutating func note(
    changesSince old: Manifest, _ origin: UnrecordedChange.Origin?, isGenerated: Bool = false
  ) {
    guard let origin else { return }
    // Both have their keys in ascending order of id. None leaves before its changes are noted.
    var earlier = old.entries[...]
    for entry in entries {
      if earlier.first?.record.id == entry.record.id, let before = earlier.popFirst() {
        if entry !== before { note(Self.changes(from: before.record, to: entry.record), origin) }
      } else {
        let key = entry.record
        note([isGenerated ? .generated(key.id) : .imported(key.id)], origin)
        // A request's record of a new key says nothing of its state, which the key has from the
        // start.
        if case .ceremony = origin, key.state != .preActive {
          note([.entered(key.state, key.id)], origin)
        }
      }
    }
    if kekNumber > old.kekNumber { note([.resealed(kekNumber)], origin) }
    if registers > old.registers { note([.reshared(registers)], origin) }
  }

  mutating func note(_ kinds: [UnrecordedChange.Kind], _ origin: UnrecordedChange.Origin) {
    unrecorded += kinds.map { UnrecordedChange(kind: $0, origin: origin) }
  }

  /// Drops one change by a request for each of these.
  mutating func drop(recorded kinds: [UnrecordedChange.Kind]) {
    for kind in kinds {
      if let place = unrecorded.firstIndex(where: { $0.kind == kind && $0.auditSize != nil }) {
        unrecorded.remove(at: place)
      }
    }
  }

  private static func changes(from old: KeyRecord, to new: KeyRecord) -> [UnrecordedChange.Kind] {
    let certified: [UnrecordedChange.Kind] =
      old.certificate == new.certificate ? [] : [.certified(new.id)]
    guard old.state != new.state else { return certified }
    guard old.state != .suspended || new.state != old.lifeState else {
      return certified + [.resumed(new.id)]
    }
    // A key that is destroyed at one stroke was retired on the way, which whoever follows its life
    // in the log must know.
    let passed: [UnrecordedChange.Kind] =
      new.state == .destroyed && old.retired == nil && new.retired != nil
      ? [.entered(.retired, new.id)] : []
    return certified + passed + [.entered(new.state, new.id)]
  }
}

extension KeyStore {
  /// From now on notes every change as made at this ceremony; nil ends that.
  package func takePart(in ceremony: CeremonyReference?) { self.ceremony.change { $0 = ceremony } }

  /// The changes that the audit log must still record, unless it has.
  package var unrecorded: [UnrecordedChange] { table.value.manifest.unrecorded }

  /// Notes that the audit log has records of these changes: the next manifest lists them no more.
  package func noteRecorded(_ kinds: [UnrecordedChange.Kind]) { recorded.change { $0 += kinds } }

  /// Notes that a copy of the store was made at a ceremony.
  package func note(copy digest: Digest256) throws(KeyStoreError) { try note(.copied(digest)) }

  /// Accepts, for the people at a ceremony, that the store came from a copy, even if the log knows
  /// of later shares or another KEK.
  package func noteRestoring() throws(KeyStoreError) {
    guard let mark = restoredMark else { return }
    guard try matches(mark) else { throw .restoredMark }
    try accept(RestoredCopy(mark))
  }

  private func note(_ kind: UnrecordedChange.Kind) throws(KeyStoreError) {
    guard let ceremony = ceremony.value else { return }
    try change(anchor) { (manifest, _) in manifest.note([kind], .ceremony(ceremony)) }
  }
}

/// One entry of the manifest's `unrecorded`. [KS-UNRECORDED]
extension UnrecordedChange {
  var json: CanonicalJSON { ["change": kind.name] + kind.json + origin.json }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    origin = try Origin(&fields)
    kind = try Kind(try fields.string("change"), &fields)
    try fields.end()
  }
}

extension UnrecordedChange.Origin {
  fileprivate var json: CanonicalJSON {
    switch self {
    case .ceremony(let ceremony):
      [
        "ceremony": ceremony.name, "people": ceremony.people, "root": ceremony.transcript.root.hex,
        "size": ceremony.transcript.size, "step": ceremony.step,
      ]
    case .request(let persons, let size):
      ["by": persons.json, "size": size]
    }
  }

  fileprivate init(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    let size: UInt64 = try fields.number("size")
    if let persons = fields.optional("by") {
      self = .request(try Persons(persons), auditSize: size)
      return
    }
    let name = try fields.string("ceremony")
    let step = try fields.string("step")
    var people: [String] = []
    for element in try fields.array("people") {
      guard case .string(let person) = element else { throw .schema }
      people.append(person)
    }
    let root = try fields.string("root", as: Digest256.init(hex:))
    self = .ceremony(
      CeremonyReference(
        name: name, step: step, people: people, transcript: AuditAnchor(size: size, root: root)))
  }
}

extension UnrecordedChange.Kind {
  fileprivate var name: String {
    switch self {
    case .imported: "imported"
    case .generated: "generated"
    case .certified: "certified"
    case .entered(let state, _): state.rawValue
    case .resumed: "resumed"
    case .reshared: "reshared"
    case .resealed: "resealed"
    case .copied: "copied"
    case .restored: "restored"
    }
  }

  fileprivate var json: CanonicalJSON {
    switch self {
    case .imported(let id), .generated(let id), .certified(let id), .entered(_, let id),
      .resumed(let id):
      ["key": id.hex]
    case .reshared(let number), .resealed(let number): ["number": number]
    case .copied(let digest), .restored(let digest): ["digest": digest.hex]
    }
  }

  fileprivate init(_ name: String, _ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    switch name {
    case "imported": self = .imported(try fields.keyID())
    case "generated": self = .generated(try fields.keyID())
    case "certified": self = .certified(try fields.keyID())
    case "resumed": self = .resumed(try fields.keyID())
    case "reshared": self = .reshared(try fields.number())
    case "resealed": self = .resealed(try fields.number())
    case "copied": self = .copied(try fields.digest())
    case "restored": self = .restored(try fields.digest())
    default:
      guard let state = KeyState(rawValue: name) else { throw .schema }
      self = .entered(state, try fields.keyID())
    }
  }
}

extension CanonicalJSONFields {
  fileprivate mutating func keyID() throws(CanonicalJSONError) -> KeyID {
    try string("key", as: KeyID.init(hex:))
  }

  fileprivate mutating func number() throws(CanonicalJSONError) -> Int {
    let number: Int = try number("number")
    guard number > 0 else { throw .schema }
    return number
  }

  fileprivate mutating func digest() throws(CanonicalJSONError) -> Digest256 {
    try string("digest", as: Digest256.init(hex:))
  }
}
