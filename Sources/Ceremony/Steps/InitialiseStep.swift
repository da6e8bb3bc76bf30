import Audit
package import Configuration
import Crypto
import KeyStore

/// Makes a key store under a new KEK, of which only the shares remain afterwards.
///
/// The store is made last: nothing is on the disk until every custodian has proved their sheet.
package struct InitialiseStep: CeremonyStep {
  package static let kind = "initialise"
  package static let opensStore = true
  private let kek: NewKEK
  /// The name of the store's audit log, if its verifier key is to be written.
  let auditOrigin: String?

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    kek = try NewKEK(table, people)
    let expected = "the audit log's name, as audit.origin of kist.toml has it"
    auditOrigin = try table.optional("audit_origin")?.text(expected) {
      $0.isToken(count: 128, without: "+\"\\") ? $0 : nil
    }
  }

  package var outputs: [String] { auditOrigin == nil ? [] : [Self.verifierName] }
  private static let verifierName = "audit.vkey"

  package var readBacks: [ReadBack] { [.kek] }

  package var script: [String] { kek.script + ["the store is made, and the KEK is dropped"] }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    try kek.deal(room) { (kek, custodians) throws(CeremonyError) in
      let kind = room.kind
      let place = room.place
      try room.change(
        .kek, to: StoreInventory(custodians),
        room.store = onStore(
          LockedKeyStore.create(
            place.name, in: place.parent, kek: kek, custodians: custodians, kind: kind,
            at: room.now, on: room.directory.disk
          ).unlock(kek: kek, expecting: kind)))
    }
  }

  package var needed: [String] { kek.custodians }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let line = try kek.check(&records)
    try records.change(.kek) { $0 == line }
  }

  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {
    if auditOrigin != nil { try records.output(Self.verifierName) }
  }

  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {
    guard let auditOrigin else { return }
    try room.write(
      Self.verifierName, Array((try Self.verifier(room.openStore(), auditOrigin) + "\n").utf8))
  }

  private static func verifier(_ store: KeyStore, _ origin: String) throws(CeremonyError) -> String
  {
    guard let key = store.auditSigning.privateKey else { throw .keyStore(.auditKeys) }
    return try onNote(NoteVerifier(name: origin, key: key.publicKey).vkey)
  }
}
