internal import Crypto
internal import Format

/// One entry of the manifest's `unrecorded`. [KS-UNRECORDED]
extension UnrecordedChange {
  var json: CanonicalJSON { ["change": .string(kind.name)] + kind.json + origin.json }

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
        "ceremony": .string(ceremony.name), "people": .array(ceremony.people.map { .string($0) }),
        "root": .string(ceremony.transcript.root.hex), "size": .integer(Int64(ceremony.transcript.size)), "step": .string(ceremony.step),
      ]
    case .request(let persons, let size): ["by": persons.json, "size": .integer(Int64(clamping: size))]
    }
  }

  fileprivate init(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    guard let size = UInt64(exactly: try fields.integer("size")) else { throw .schema }
    if let persons = fields.optional("by") {
      self = .request(try Persons(persons), auditSize: size)
      return
    }
    let (name, step) = (try fields.string("ceremony"), try fields.string("step"))
    var people: [String] = []
    for element in try fields.array("people") {
      guard case .string(let person) = element else { throw .schema }
      people.append(person)
    }
    guard let root = Digest256(hex: try fields.string("root")) else { throw .schema }
    self = .ceremony(CeremonyReference(name: name, step: step, people: people, transcript: AuditAnchor(size: size, root: root)))
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
    case .imported(let id), .generated(let id), .certified(let id), .entered(_, let id), .resumed(let id): ["key": .string(id.hex)]
    case .reshared(let number), .resealed(let number): ["number": .integer(Int64(number))]
    case .copied(let digest), .restored(let digest): ["digest": .string(digest.hex)]
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
    guard let id = KeyID(hex: try string("key")) else { throw .schema }
    return id
  }

  fileprivate mutating func number() throws(CanonicalJSONError) -> Int {
    guard let number = Int(exactly: try integer("number")), number > 0 else { throw .schema }
    return number
  }

  fileprivate mutating func digest() throws(CanonicalJSONError) -> Digest256 {
    guard let digest = Digest256(hex: try string("digest")) else { throw .schema }
    return digest
  }
}
