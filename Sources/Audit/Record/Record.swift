package import Crypto
package import Format

/// One line of the log, parsed.
///
/// Names remain text if a newer version may have written one that this version does not know.
package struct Record: Sendable {
  package private(set) var sequence: UInt64 = 0
  /// The leaf hash of the record before.
  package private(set) var previous: Digest256 = TreeHash.empty
  package private(set) var time = Timestamp(microseconds: 0)
  package private(set) var boot = ""
  /// The name of an opcode or of an event.
  package private(set) var operation = ""
  package private(set) var actor: Actor?
  /// An event's members: texts and numbers.
  package private(set) var event: [CanonicalJSON.Member] = []
  package private(set) var inputs = Inputs()
  package private(set) var key: KeyID?
  /// Other keys whose material was used, besides `key`.
  package private(set) var furtherKeys: [KeyID] = []
  package private(set) var label: String?
  package private(set) var policy: PolicyView?
  package private(set) var released: [String] = []
  package private(set) var request: UInt64?
  package private(set) var result: String?
  package private(set) var stage: String?

  package struct Actor: Hashable, Sendable {
    package fileprivate(set) var executable: String?
    package fileprivate(set) var gid: Int64 = 0
    /// What the daemon found the uid, and the owner, to be called when the caller connected; nil
    /// where it found nothing.
    package fileprivate(set) var name, ownerName: String?
    /// The account that owns a subordinate uid (subuid(5)); nil if the uid is an account's own.
    package fileprivate(set) var owner: Int64?
    package fileprivate(set) var pid: Int64 = 0
    package fileprivate(set) var uid: Int64 = 0
    package fileprivate(set) var unit: String?

    /// The account that is responsible, whatever the uid.
    package var person: Int64 { owner ?? uid }
  }

  package struct PolicyView: Hashable, Sendable {
    package fileprivate(set) var isAllowed = false
    package fileprivate(set) var grant: String?
    package fileprivate(set) var denial: String?
    /// The group, as number and as the policy calls it, and the unit by which the grant covered the
    /// caller, where it states any.
    package fileprivate(set) var group: Int64?
    package fileprivate(set) var groupName, unit: String?
    /// 64 digits.
    package fileprivate(set) var digest = ""
  }

  package var status: Status? {
    result.flatMap { name in Status.allCases.first { $0.name == name } }
  }
  package var opcode: Opcode? { Opcode(name: operation) }

  /// Parses a line without its newline.
  ///
  /// - Throws: `CanonicalJSONError`; `.schema` if a known member has the wrong type or a required
  ///   one is missing.
  package init(parsing line: Span<UInt8>) throws(CanonicalJSONError) {
    guard line.count <= Draft.byteLimit else { throw .tooLong }
    self.init()
    var reader = CanonicalJSONReader(line)
    try read(from: &reader)
    try reader.end()
  }

  private init() {}
}

extension Record {
  private mutating func read(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError) {
    var required = 0
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      try read(name, from: &reader, &required)
    }
    guard required == 6 else { throw .schema }
  }

  /// - Parameter required: counts the members that every record has.
  private mutating func read(
    _ name: CanonicalJSONName, from reader: inout CanonicalJSONReader, _ required: inout Int
  ) throws(CanonicalJSONError) {
    switch name {
    case "boot", "op", "prev", "seq", "ts", "v": required += 1
    default: break
    }
    switch name {
    case "actor":
      var found = Actor()
      try found.read(from: &reader)
      actor = found
    case "boot": boot = try reader.readString()
    case "event":
      let value = try CanonicalJSON(reading: &reader)
      guard case .object(let members) = value else { throw .schema }
      event = members
    case "in": try inputs.read(from: &reader)
    case "key":
      let bytes = try reader.readHex(count: 16)
      key = KeyID(prefixOf: bytes.span)
    case "keys":
      try reader.readArray { (reader) throws(CanonicalJSONError) in
        let bytes = try reader.readHex(count: 16)
        furtherKeys += KeyID(prefixOf: bytes.span).map { [$0] } ?? []
      }
    case "label": label = try reader.readString()
    case "op": operation = try reader.readString()
    case "policy":
      var found = PolicyView()
      try found.read(from: &reader)
      policy = found
    case "prev": previous = try reader.readDigest256()
    case "released":
      try reader.readArray { (reader) throws(CanonicalJSONError) in
        released.append(try reader.readString())
      }
    case "req": request = try reader.readHex(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    case "result": result = try reader.readString()
    case "seq": sequence = try reader.readUnsigned()
    case "stage": stage = try reader.readString()
    case "ts":
      let text = try reader.readString()
      guard let moment = Timestamp(text) else { throw .schema }
      time = moment
    case "v": guard try reader.readInteger() == 1 else { throw .schema }
    // Members may be added while `v` stays 1.
    default: try reader.skip()
    }
  }
}

extension Record.Actor {
  fileprivate mutating func read(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError)
  {
    try reader.readObject { (reader, member) throws(CanonicalJSONError) in
      switch member {
      case "exe": executable = try reader.readString()
      case "gid": gid = try reader.readInteger()
      case "name": name = try reader.readString()
      case "owner": owner = try reader.readInteger()
      case "owner_name": ownerName = try reader.readString()
      case "pid": pid = try reader.readInteger()
      case "uid": uid = try reader.readInteger()
      case "unit": unit = try reader.readString()
      default: try reader.skip()
      }
    }
  }
}

extension Record.PolicyView {
  fileprivate mutating func read(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError)
  {
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "decision": isAllowed = try reader.readString() == "allow"
      case "denial": denial = try reader.readString()
      case "grant": grant = try reader.readString()
      case "group": group = try reader.readInteger()
      case "group_name": groupName = try reader.readString()
      case "sha256": digest = try reader.readString()
      case "unit": unit = try reader.readString()
      default: try reader.skip()
      }
    }
  }
}

extension Inputs {
  fileprivate mutating func read(from reader: inout CanonicalJSONReader) throws(CanonicalJSONError)
  {
    try reader.readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "activation": activation = try PassActivation(rawValue: reader.readString())
      case "amount": amount = try reader.readUnsigned()
      case "approval": approval = Approval(request: try reader.readString())
      case "approved_by":
        guard let request = approval?.request, let uid = UInt32(exactly: try reader.readInteger())
        else { throw .schema }
        approval = Approval(request: request, by: uid)
      case "approved_by_name":
        guard let request = approval?.request, let uid = approval?.by else { throw .schema }
        approval = Approval(request: request, by: uid, byName: try reader.readString())
      case "backup": backup = try reader.readBackup()
      case "claim": claim = try reader.readDigest256()
      case "currency":
        guard let code = UInt16(exactly: try reader.readInteger()) else { throw .schema }
        currency = code
      case "field":
        let name = try reader.readString()
        field = PassField.allCases.first { $0.name == name }
      case "envelope": envelope = try reader.readDigest()
      case "ledger": ledger = try reader.readUnsigned()
      case "local": local = try reader.readLocalOpening()
      case "pan": pan = try reader.readDigest()
      case "partner": partner = try reader.readString()
      case "drill": drill = try reader.readDrill()
      case "required": required = try ReleasedField(name: reader.readString())
      case "retry": retry = try reader.readDigest()
      case "retry_host": retryHost = try reader.readString()
      case "retry_of": retryOf = try reader.readUnsigned()
      case "review": review = try reader.readSignOff()
      case "scheme":
        scheme = try UInt8(exactly: reader.readUnsigned()).flatMap(SignatureChoice.init)
      case "sealed":
        try reader.readArray { (reader) throws(CanonicalJSONError) in
          if let field = try ReleasedField(name: reader.readString()) {
            sealed.insert(ReleasedFields([field]))
          }
        }
      case "share": share = try reader.readHex(count: 5)
      case "subject": subject = try reader.readDigest()
      case "submitted": submitted = try Timestamp(reader.readString())
      case "transaction": transaction = try reader.readDigest()
      default: try reader.skip()
      }
    }
  }
}

extension CanonicalJSONReader {
  @_lifetime(self: copy self)
  mutating func readUnsigned() throws(CanonicalJSONError) -> UInt64 {
    guard let value = UInt64(exactly: try readInteger()) else { throw .schema }
    return value
  }

  @_lifetime(self: copy self)
  fileprivate mutating func readHex(count: Int) throws(CanonicalJSONError) -> [UInt8] {
    let place = try readStringPlace()
    guard let value = Hex.decode(bytes(place)), value.count == count else { throw .schema }
    return value
  }

  /// - Returns: nil for an outcome or note that this version does not know.
  @_lifetime(self: copy self)
  fileprivate mutating func readSignOff() throws(CanonicalJSONError) -> SignOff? {
    var (note, outcome, root, size): (String?, String?, Digest256?, UInt64?)
    try readObject { (reader, name) throws(CanonicalJSONError) in
      switch name {
      case "note": note = try reader.readString()
      case "outcome": outcome = try reader.readString()
      case "root": root = try reader.readDigest256()
      case "size": size = try reader.readUnsigned()
      default: try reader.skip()
      }
    }
    guard let note, let outcome, let root, let size else { throw .schema }
    guard let note = ReviewNote(note), let outcome = ReviewOutcome(name: outcome) else {
      return nil
    }
    return SignOff(TreeHead(size: size, root: root), outcome, note)
  }

  @_lifetime(self: copy self)
  fileprivate mutating func readDigest() throws(CanonicalJSONError) -> KeyedDigest {
    let place = try readStringPlace()
    guard let digest = KeyedDigest(bytes(place)) else { throw .schema }
    return digest
  }
}
