import Configuration
import Crypto
import Format
import Host
import KeyStore

/// A key that a step adds, as it will be in the store.
struct PlannedKey {
  let label: KeyLabel
  let role: KeyRole
  let merchant: MerchantIdentifier?
  let otp: OTPAttributes?
  /// Whether the key is pre-active, for example until its certificate comes.
  let waits: Bool
  /// Whether it may leave under an exchange key.
  let isExportable: Bool

  init(_ table: TOMLTable) throws(ConfigurationError) {
    label = try table.label("label", "a key label such as \"merchant/acme/processing-2026\"")
    let roles = KeyRole.allCases.filter { !$0.isInternal && !$0.isPublic }.map(\.rawValue).joined(
      separator: ", ")
    let role = try table.text("role", "one of " + roles) { name in
      KeyRole(rawValue: name).flatMap { $0.isInternal || $0.isPublic ? nil : $0 }
    }
    self.role = role
    waits = try table.optional("pre_active")?.boolean() ?? false
    isExportable = try table.optional("exportable")?.boolean() ?? false
    merchant =
      role.isMerchant
      ? try table.required("merchant", "whose key it is").text(
        "a merchant identifier of 1 to 255 printable ASCII characters"
      ) { MerchantIdentifier($0) } : nil
    let name = "1 to 64 of A-Z, a-z, 0-9, '.' and '_'"
    switch role.otpKind {
    case .visa:
      otp = .visa(
        keySet: try table.text("key_set", name) {
          OTPAttributes.isName($0) ? $0 : nil
        })
    case .mastercard:
      otp = .mastercard(
        alias: try table.optional("key_alias")?.text(name) { OTPAttributes.isName($0) ? $0 : nil })
    case .counter, .time:
      throw table.error(
        "'role' is \(role.rawValue), whose keys come by kist key import; expected another")
    case nil: otp = nil
    }
  }

  var text: String {
    "\(label) (\(role.rawValue))" + (merchant.map { " of \($0.text)" } ?? "")
      + (waits ? ", not active yet" : "")
      + (isExportable ? ", MAY LEAVE under an exchange key" : "")
  }

  /// Shows the key's check value, tests the key, and as the last action puts it into the store.
  func accept(
    _ material: consuming KeyMaterial, _ algorithm: KeyAlgorithm, certificate: Certificate? = nil,
    from header: KeyBlockHeader? = nil,
    isGenerated: Bool = false, _ room: CeremonyRoom
  )
    throws(CeremonyError)
  {
    let store = try room.openStore()
    guard store.record(labelled: label) == nil else { throw .refused(.labelTaken) }
    let check = try onCrypto(material.check(algorithm))
    try room.readBack(.key(label), check.text)
    let isGood = try onCrypto(KeyTest.passes(material, role))
    guard isGood else { throw .refused(.keyTest) }
    try room.record(.fact(subject: Subject.test(of: label), value: Self.passed))
    let request = KeyImport(
      label: label, role: role, material: material, certificate: certificate, merchant: merchant,
      activates: !waits, otp: otp, isExportable: isExportable,
      from: header, isGenerated: isGenerated)
    let new: NewKey
    do throws(KeyStoreError) {
      new = try store.newKey(request, at: room.now, anchor: store.anchor)
    } catch { throw .keyStore(error) }
    var inventory = try StoreInventory(store)
    inventory.add(new.record)
    try room.change(.key(label), to: inventory, onStore(store.add(new, anchor: store.anchor)))
    try room.tell("  \(label) is in the store")
  }

  private static let passed = "passed"

  /// Checks the records of the key.
  ///
  /// - Parameter check: the first digits of its check value, if the plan has it.
  func check(_ algorithm: KeyAlgorithm?, from check: String = "", _ records: inout RecordCursor)
    throws(RecordCursor.End)
  {
    let value = try records.readBack(.key(label))
    guard value.filter({ $0 != " " }).hasPrefix(check.filter { $0 != " " }) else {
      throw records.fault("the check value of \(label) that is in the plan, \(check)")
    }
    try records.fact(Subject.test(of: label), Self.passed)
    try records.change(.key(label)) {
      StoreInventory.isKey(
        $0, role, algorithm, checkValue: value, merchant, otp, isExportable: isExportable)
    }
  }

  /// Adds a test key in place of a live one, which must not be used in a rehearsal.
  func acceptTestKey(_ room: CeremonyRoom) throws(CeremonyError) {
    try room.tell("  REHEARSAL: a new key stands in for the one in the file")
    let algorithms: [KeyAlgorithm] = [
      .asymmetric(.p256), .asymmetric(.rsa(bits: 2048)), .asymmetric(.ed25519), .aes256,
      .tripleDES2, .hmac(.sha256), .hmac(.sha384), .hmac(.sha512),
    ]
    guard let algorithm = algorithms.first(where: role.allows) else {
      throw .keyStore(.importRefused(.algorithm))
    }
    let made = try onCrypto(GenerateStep.make(algorithm))
    try accept(made, algorithm, room)
  }
}

extension KeyCheck {
  /// What people compare: the check value of a symmetric key, or the first half of the SHA-256 of
  /// an asymmetric key's SPKI.
  var text: String {
    switch self {
    case .kcv(let check): check.description
    case .spki: (spkiHash?.hex.prefix(32)).map(String.init) ?? ""
    }
  }
}

extension TOMLTable {
  func label(_ key: String, _ expected: String) throws(ConfigurationError) -> KeyLabel {
    try required(key, expected).text(expected) { KeyLabel($0) }
  }
}

extension TOMLNode {
  /// The name of a file in the ceremony's outputs.
  func outputName(ending: String) throws(ConfigurationError) -> String {
    try text("the name of a file that ends in \(ending), of a-z, 0-9, '-' and '.'") { name in
      guard name.count > ending.count, name.hasSuffix(ending), name.utf8.count <= 64,
        name.utf8.first != UInt8(ascii: ".")
      else { return nil }
      return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Person.isName)
        ? name : nil
    }
  }
}

/// A test operation with a new private key, as its role uses it; the public half checks the result.
///
/// A symmetric key has no public half: computing its check value, which is read back, is the test.
enum KeyTest {
  static func passes(_ material: borrowing KeyMaterial, _ role: KeyRole) throws(CryptoError) -> Bool
  {
    switch material {
    case .privateKey(let key):
      role.serves(.sign) || role.serves(.signOTP) ? try signs(key) : try opens(key)
    case .publicKey: true
    case .symmetric: true
    }
  }

  private static let message = Array("kist ceremony: test of a key".utf8)

  private static func signs(_ key: PrivateKey) throws(CryptoError) -> Bool {
    let signature = try key.sign(message.span)
    return key.publicKey.verify(signature: signature.span, message: message.span)
  }

  /// Does both sides of ECDH with a throw-away peer, or encrypts to the key and decrypts.
  private static func opens(_ key: PrivateKey) throws(CryptoError) -> Bool {
    switch key.kind {
    case .p256, .p384:
      let peer = try PrivateKey.generate(key.kind)
      guard let theirs = peer.publicKey.point, let ours = key.publicKey.point else { return false }
      let one = try key.agree(with: theirs.span)
      let other = try peer.agree(with: ours.span)
      return ConstantTime.equal(one.bytes, other.bytes)
    case .rsa:
      let sealed = try key.publicKey.encryptOAEP(message.span)
      let opened = try key.decryptOAEP(sealed.span)
      return ConstantTime.equal(opened.bytes, message.span)
    case .ed25519: return try signs(key)
    }
  }
}
