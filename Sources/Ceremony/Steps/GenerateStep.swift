package import Configuration
import Crypto
import Format
import Host
package import KeyStore

/// Makes a new key in the store.
package struct GenerateStep: CeremonyStep {
  package static let kind = "generate"
  let key: PlannedKey
  let algorithm: KeyAlgorithm
  /// The PEM file for the public half.
  let publicName: String?

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    let key = try PlannedKey(table)
    self.key = key
    let node = try table.required("algorithm", Self.expected)
    let algorithm = try node.text(Self.expected) { KeyAlgorithm(name: $0) }
    guard key.role.allows(algorithm), Self.isMade(algorithm) else {
      throw node.unfit(algorithm.name, "one that a key of role \(key.role.rawValue) can have")
    }
    self.algorithm = algorithm
    publicName = try table.optional("public")?.outputName(ending: ".pem")
    guard publicName == nil || key.role.symmetricAlgorithm == nil else {
      throw table.error(
        "'public' names a file, but a \(algorithm.name) key has no public half; expected none")
    }
  }

  package var outputs: [String] { publicName.map { [$0] } ?? [] }
  package var newLabel: KeyLabel? { key.label }

  package func check(after earlier: inout PlannedKeys, _ table: TOMLTable)
    throws(ConfigurationError)
  {
    earlier.add(
      key.label, isCertified: key.role.certifiedPurpose != nil && algorithm.isCertifiedByApple)
  }

  package var script: [String] {
    ["\(key.text), \(algorithm.name), made here"] + [
      "its check value is read back, and a test operation done with it"
    ]
      + (publicName.map { ["its public half goes to \($0)"] } ?? [])
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let algorithm = algorithm
    let material = try onCrypto(Self.make(algorithm))
    try key.accept(material, algorithm, isGenerated: true, room)
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try key.check(algorithm, &records)
  }

  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {
    if let publicName { try records.output(publicName) }
  }

  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {
    guard let publicName,
      case .spki(let spki) = try room.openStore().record(labelled: key.label)?.check
    else { return }
    try room.write(publicName, Array(PEM.text("PUBLIC KEY", spki).utf8))
  }

  private static let expected =
    "an algorithm such as P-256, P-384, RSA-2048, Ed25519, AES-256, HMAC-SHA-256 or TDEA-2"

  /// Sizes that other programs can read, and no keys for one-time codes, whose attributes only an
  /// import has.
  private static func isMade(_ algorithm: KeyAlgorithm) -> Bool {
    switch algorithm {
    case .asymmetric(.rsa(let bits)): [2048, 3072, 4096].contains(bits)
    case .hmacOTP: false
    case .asymmetric, .hmac, .aes256, .tripleDES2: true
    }
  }

  static func make(_ algorithm: KeyAlgorithm) throws(CryptoError) -> KeyMaterial {
    // The daemon never generates these, since other parties make them; at a ceremony people may.
    if case .tripleDES2 = algorithm { return .symmetric(try TripleDESKey.generate()) }
    return try KeyMaterial.generate(algorithm)
  }
}

/// Two-key Triple DES: 16 bytes of odd parity, as other machines expect them.
enum TripleDESKey {
  static func generate() throws(CryptoError) -> SecretBuffer {
    var key = try Random.secret(count: 16)
    var bytes = key.mutableBytes
    DESParity.setOdd(&bytes)
    return key
  }
}
