internal import Configuration
internal import CryptoBackend
internal import Encoding
internal import KeyBlock
internal import KeyStore

/// What a key is to be in the store, as a step that brings one has it.
struct PlannedKey {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  let otp: OTPAttributes?
  /// Whether it waits to be activated, such as for its certificate.
  let waits: Bool

  init(_ table: TOMLTable) throws(ConfigurationError) {
    label = try table.required("label", Self.expectedLabel).text(Self.expectedLabel) { KeyLabel($0) }
    let roles = KeyRole.allCases.filter { !$0.isInternal }.map(\.rawValue).joined(separator: ", ")
    let role = try table.required("role", "one of " + roles).text("one of " + roles) { name in KeyRole(rawValue: name).flatMap { $0.isInternal ? nil : $0 } }
    self.role = role
    waits = try table.optional("pre_active")?.boolean() ?? false
    merchant =
      role.isMerchant
      ? try table.required("merchant", "whose key it is").text("a merchant identifier of 1 to 255 printable ASCII characters") { MerchantIdentifier($0) } : nil
    let name = "1 to 64 of A-Z, a-z, 0-9, '.' and '_'"
    switch role.otpKind {
    case .visa: otp = .visa(keySet: try table.required("key_set", name).text(name) { OTPAttributes.isName($0) ? $0 : nil })
    case .mastercard: otp = .mastercard(alias: try table.optional("key_alias")?.text(name) { OTPAttributes.isName($0) ? $0 : nil })
    case .counter, .time: throw table.error("'role' is \(role.rawValue), whose keys come by kist key import; expected another")
    case nil: otp = nil
    }
  }

  var text: String { "\(label) (\(role.rawValue))" + (merchant.map { " of \($0.text)" } ?? "") + (waits ? ", not active yet" : "") }

  /// Shows the key's check value, tries the key, and puts it into the store: the last thing that is done.
  func accept(_ material: consuming KeyMaterial, _ algorithm: KeyAlgorithm, certificate: Certificate? = nil, _ floor: Floor) throws(CeremonyError) {
    let store = try floor.openStore()
    guard store.record(labelled: label) == nil else { throw .refused(.labelTaken) }
    let check = try CeremonyError.crypto { () throws(CryptoError) in try material.check(algorithm) }
    try floor.readBack(Self.checkName(label), check.text)
    let isGood = try CeremonyError.crypto { () throws(CryptoError) in try KeyTest.passes(material, role) }
    guard isGood else { throw .refused(.keyTest) }
    try floor.record(.fact(subject: "test of \(label)", value: "passed"))
    let request = KeyImport(label: label, role: role, material: material, certificate: certificate, merchant: merchant, activates: !waits, otp: otp)
    do throws(KeyStoreError) { _ = try store.importKey(request, at: floor.now, anchor: store.anchor) } catch { throw .keyStore(error) }
    try floor.tell("  \(label) is in the store")
  }

  /// How a key's check value is called, on the screen and on the record.
  static func checkName(_ label: KeyLabel) -> String { "check value of \(label)" }

  private static let expectedLabel = "a key label such as \"merchant/acme/processing-2026\""
}

extension KeyCheck {
  /// The check value of a symmetric key, the first half of the SPKI's SHA-256 of another: as much as people compare.
  var text: String {
    switch self {
    case .kcv(let check): check.description
    case .spki: (spkiHash?.hex.prefix(32)).map(String.init) ?? ""
    }
  }
}

extension TOMLNode {
  /// The name of a file in the ceremony's outputs.
  func outputName(ending: String) throws(ConfigurationError) -> String {
    try text("the name of a file that ends in \(ending), of a-z, 0-9, '-' and '.'") { name in
      guard name.count > ending.count, name.hasSuffix(ending), name.utf8.count <= 64, name.utf8.first != UInt8(ascii: ".") else { return nil }
      return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Person.isName) ? name : nil
    }
  }
}
