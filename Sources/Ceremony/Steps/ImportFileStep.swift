package import Configuration
import Crypto
import Host
package import KeyStore

/// Imports a private key from a PKCS #8, PKCS #12, PKCS #1 or SEC1 file, with its certificate if
/// the file has one.
///
/// The administrator brings the file, and a custodian enters its passphrase.
package struct ImportFileStep: CeremonyStep {
  package static let kind = "import-file"
  let key: PlannedKey
  private let file: BroughtFile
  private let custodian: String

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    key = try PlannedKey(table)
    guard key.role.symmetricAlgorithm == nil else {
      throw table.error(
        "'role' is \(key.role.rawValue), whose keys have no private half; expected another")
    }
    file = try BroughtFile(table, "file", "where the key file is")
    custodian = try people.custodian("custodian", of: table, "who knows the file's passphrase")
  }

  package var newLabel: KeyLabel? { key.label }

  package var script: [String] {
    [
      "\(key.text), from \(file.path)", file.script, "\(custodian) enters its passphrase",
      "the key's check value is read back, and a test operation done with it",
    ]
  }

  package var needed: [String] { [custodian] }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    if records.kind == .production {
      try file.check(&records)
      guard let custodian = records.people.person(named: custodian) else {
        throw records.fault(custodian)
      }
      try records.entry(custodian, Subject.passphrase(of: file.path), Self.right)
    }
    try key.check(nil, &records)
  }

  private static let right = "right"

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    guard room.kind == .production else { return try key.acceptTestKey(room) }
    let found = try open(file.readSecret(limit: PrivateKeyFile.maximumSize, room), room)
    guard let privateKey = found.key else { throw .keyFile(.notAKeyFile) }
    guard key.role.allows(.asymmetric(privateKey.kind)) else { throw .keyFile(.invalidKey) }
    try key.accept(
      .privateKey(privateKey), .asymmetric(privateKey.kind),
      certificate: key.role.isMerchant ? found.certificate : nil, room)
    try room.tell("  the file still holds the key: it is destroyed by whoever brought it")
  }

  private func open(_ sealed: borrowing SecretBuffer, _ room: CeremonyRoom) throws(CeremonyError)
    -> ImportedKey
  {
    guard let custodian = room.people.person(named: custodian) else { throw .refused(.keyAbsent) }
    let opened = try room.retrying { () throws(CeremonyError) -> ImportedKey? in
      let passphrase = try room.askSecret(custodian, "passphrase of \(file.path)")
      do throws(KeyFileError) {
        return try PrivateKeyFile.decode(
          sealed.bytes, passphrase: passphrase.bytes, oldAlgorithms: .accepted)
      } catch {
        guard error == .wrongPassphrase || error == .passphraseNeeded else { throw .keyFile(error) }
        try room.tell("  the passphrase is wrong")
        return nil
      }
    }
    try room.record(
      .entry(person: custodian.name, subject: Subject.passphrase(of: file.path), value: Self.right))
    return opened
  }
}
