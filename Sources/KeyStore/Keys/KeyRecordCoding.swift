import Crypto
import Format

/// One entry of the manifest's `keys`. [KS-MANIFEST-KEY]
extension KeyRecord {
  /// - Parameter kekNumber: the KEK's number, which is part of file names.
  func json(under kekNumber: Int) -> CanonicalJSON {
    let (kcv, spki): (String?, String?) =
      switch check {
      case .kcv(let value): (value.text, nil)
      case .spki(let spki): (nil, Base64.encode(spki))
      }
    func file(_ file: StoreFile, _ digest: Digest256) -> CanonicalJSON {
      ["file": file.name(under: kekNumber), "sha256": digest.hex]
    }
    return [
      "activated": activated?.description, "algorithm": algorithm.name,
      "block": file(.block(id), block),
      "by": persons.isEmpty
        ? nil : CanonicalJSON.object(persons.map { .init($0.rawValue, $1.json) }),
      "certificate": certificate.map { file(.certificate(id, $0.digest), $0.digest) },
      "compromised": compromised?.description,
      "created": created.description, "destroyed": destroyed?.description,
      "exportable": isExportable ? true : nil,
      "freshness": freshnessWindow, "id": id.hex,
      "jwe_members": jweMembers.isEmpty ? nil : jweMembers.text, "kcv": kcv,
      "label": label.text, "merchant": merchant?.json,
      "not_after": notAfter?.description, "not_before": notBefore?.description, "otp": otp?.json,
      "retired": retired?.description, "role": role.rawValue,
      "spki": spki, "spki_sha256": check.spkiHash?.hex,
      "state": state.rawValue, "suspended": suspended?.description,
      "usage": usage, "use_limit": useLimit, "uses": uses.json,
    ]
  }

  /// Checks only what the types do not: a reader of manifests also compares the text with that of
  /// `json`.
  init(_ json: CanonicalJSON, under kekNumber: Int) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let id = try fields.string("id", as: KeyID.init(hex:))
    self.id = id
    label = try fields.string("label", as: KeyLabel.init)
    role = try fields.string("role", as: KeyRole.init(rawValue:))
    state = try fields.string("state", as: KeyState.init(rawValue:))
    algorithm = try fields.string("algorithm", as: KeyAlgorithm.init(name:))
    guard role.allows(algorithm), try fields.string("usage") == role.blockUse.text else {
      throw .schema
    }
    guard let block = try fields.file("block", { _ in StoreFile.block(id).name(under: kekNumber) })
    else { throw .schema }
    self.block = block
    certificate = try fields.file(
      "certificate", { StoreFile.certificate(id, $0).name(under: kekNumber) }
    ).map(CertificateReference.init)
    check = try KeyCheck(&fields, id, algorithm)
    merchant = try MerchantIdentifier(&fields)
    otp = try OTPAttributes(&fields, for: role)
    isExportable = try fields.optionalBool("exportable") ?? false
    freshnessWindow = try fields.optionalInteger("freshness").map { Int($0) }
    jweMembers = try fields.jweMembers()
    created = try fields.string("created", as: Timestamp.init(_:))
    activated = try fields.optionalMoment("activated")
    retired = try fields.optionalMoment("retired")
    destroyed = try fields.optionalMoment("destroyed")
    compromised = try fields.optionalMoment("compromised")
    suspended = try fields.optionalMoment("suspended")
    notBefore = try fields.optionalMoment("not_before")
    notAfter = try fields.optionalMoment("not_after")
    useLimit = try fields.optionalInteger("use_limit").map { UInt64(clamping: $0) }
    persons = try Persons.each(&fields)
    uses = try KeyUses(try fields.object("uses"))
    try fields.end()
    guard isConsistent else { throw .schema }
  }

  private var isConsistent: Bool {
    guard role.isMerchant == (merchant != nil), role.isCertified || certificate == nil else {
      return false
    }
    guard role.isPartners || jweMembers.isEmpty, !role.isPublic || notAfter != nil && !isExportable
    else { return false }
    guard freshnessWindow.map(KeyRecord.freshnessWindows.contains) ?? true else { return false }
    guard useLimit.map(KeyRecord.useLimits.contains) ?? true, hasPeriod(notBefore, notAfter) else {
      return false
    }
    guard persons.keys.allSatisfy({ moment(of: $0) != nil }), retired == nil || activated != nil
    else { return false }
    guard (state == .suspended) == (suspended != nil) else { return false }
    guard (state == .destroyed) == (destroyed != nil),
      state == .destroyed || (state == .compromised) == (compromised != nil)
    else { return false }
    switch state {
    case .preActive: return activated == nil
    case .active: return activated != nil && retired == nil
    case .retired: return retired != nil
    case .compromised, .suspended: return true
    // An activated key must be retired or compromised before it is destroyed.
    case .destroyed: return compromised != nil || (activated == nil) == (retired == nil)
    }
  }

  /// When the key took a step; nil if it did not.
  func moment(of step: KeyStep) -> Timestamp? {
    switch step {
    case .created: created
    case .activated: activated
    case .retired: retired
    case .compromised: compromised
    case .destroyed: destroyed
    case .suspended: suspended
    }
  }

  /// The range of use limits, as far as the manifest's numbers go.
  static let useLimits: ClosedRange<UInt64> = 1...(1 << 53 - 1)

  /// Seconds.
  static let freshnessWindows = 1...86_400
}

extension KeyCheck {
  fileprivate init(_ fields: inout CanonicalJSONFields, _ id: KeyID, _ algorithm: KeyAlgorithm)
    throws(CanonicalJSONError)
  {
    switch algorithm {
    case .hmac, .aes256, .tripleDES2, .hmacOTP:
      self = .kcv(try fields.string("kcv", as: KeyCheckValue.init(hex:)))
    case .asymmetric:
      let spki = try fields.string("spki", as: Base64.decode)
      let digest = SHA256.hash(spki)
      guard try fields.string("spki_sha256") == digest.hex, KeyID(prefixOf: digest.span) == id
      else { throw .schema }
      self = .spki(spki)
    }
  }
}

extension MerchantIdentifier {
  fileprivate var json: CanonicalJSON { ["hash": hash.hex, "id": text] }

  fileprivate init?(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError) {
    guard let value = fields.optional("merchant") else { return nil }
    var members = try CanonicalJSONFields(value)
    let identifier = try members.string("id", as: MerchantIdentifier.init(_:))
    guard try members.string("hash") == identifier.hash.hex else { throw .schema }
    try members.end()
    self = identifier
  }
}

/// Whether the period is not empty.
func hasPeriod(_ notBefore: Timestamp?, _ notAfter: Timestamp?) -> Bool {
  guard let notBefore, let notAfter else { return true }
  return notBefore < notAfter
}

extension Persons {
  var json: CanonicalJSON {
    .array(([asked] + (approved.map { [$0] } ?? [])).map { .integer(Int64($0)) })
  }

  /// Parses the member `by`: for each step of the key's life, who asked for it and who approved.
  fileprivate static func each(_ fields: inout CanonicalJSONFields) throws(CanonicalJSONError)
    -> [KeyStep: Persons]
  {
    guard let value = fields.optional("by") else { return [:] }
    var members = try CanonicalJSONFields(value)
    var persons: [KeyStep: Persons] = [:]
    for step in KeyStep.allCases {
      guard let value = members.optional(step.rawValue) else { continue }
      persons[step] = try Persons(value)
    }
    try members.end()
    guard !persons.isEmpty else { throw .schema }
    return persons
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    guard case .array(let elements) = json, (1...2).contains(elements.count) else { throw .schema }
    var ids: [UInt32] = []
    for element in elements {
      guard case .integer(let number) = element, let id = UInt32(exactly: number), !ids.contains(id)
      else { throw .schema }
      ids.append(id)
    }
    self.init(asked: ids[0], approved: ids.count == 2 ? ids[1] : nil)
  }
}

extension KeyUses {
  fileprivate var json: CanonicalJSON {
    [
      "audit_size": auditSize, "changes": changes > 0 ? changes : nil, "count": count,
      "last": last?.description, "reserved": reserved > 0 ? reserved : nil,
    ]
  }

  fileprivate init(_ fields: consuming CanonicalJSONFields) throws(CanonicalJSONError) {
    self.init(
      count: try fields.number("count"), last: try fields.optionalMoment("last"),
      auditSize: try fields.number("audit_size"))
    guard let changes = UInt64(exactly: try fields.optionalInteger("changes") ?? 0),
      let reserved = UInt64(exactly: try fields.optionalInteger("reserved") ?? 0)
    else { throw .schema }
    self.changes = changes
    self.reserved = reserved
    try fields.end()
  }
}

extension CanonicalJSONFields {
  fileprivate mutating func jweMembers() throws(CanonicalJSONError) -> JWEMembers {
    guard let text = try optionalString("jwe_members") else { return .none }
    guard let members = JWEMembers(text), !members.isEmpty else { throw .schema }
    return members
  }

  fileprivate mutating func optionalMoment(_ name: String) throws(CanonicalJSONError) -> Timestamp?
  {
    guard let text = try optionalString(name) else { return nil }
    guard let moment = Timestamp(text) else { throw .schema }
    return moment
  }

  /// The digest of a file, whose name must be the one expected for it; nil if the member is absent.
  fileprivate mutating func file(_ name: String, _ file: (Digest256) -> String)
    throws(CanonicalJSONError) -> Digest256?
  {
    guard let value = optional(name) else { return nil }
    var members = try CanonicalJSONFields(value)
    let digest = try members.string("sha256", as: Digest256.init(hex:))
    guard try members.string("file") == file(digest) else { throw .schema }
    try members.end()
    return digest
  }
}
