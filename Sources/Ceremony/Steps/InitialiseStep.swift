internal import Audit
internal import Configuration
internal import CryptoBackend
internal import KeyBlock
internal import KeyStore
internal import SecretMemory
internal import SecretSharing

/// Makes a key store under a new KEK that exists only as shares when it is over.
///
/// The store comes last: until every custodian has proved their sheet, nothing is on the disk.
package struct InitialiseStep: CeremonyStep {
  let split: PlannedSplit
  /// Whether dice go into the KEK beside the kernel's generator.
  let usesDice: Bool
  /// What the store's audit log will call itself, where its verifier key is wanted.
  let auditOrigin: String?

  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    split = try PlannedSplit(table, people)
    usesDice = try table.optional("dice")?.boolean() ?? false
    let expected = "the audit log's name, as audit.origin of kist.toml has it"
    auditOrigin = try table.optional("audit_origin")?.text(expected) { $0.isToken(count: 128, without: "+\"\\") ? $0 : nil }
  }

  package var outputs: [String] { auditOrigin == nil ? [] : [Self.verifierName] }
  private static let verifierName = "audit.vkey"

  package var readBacks: [String] { [Deal.checkName] }

  package var script: [String] {
    ["the KEK: 32 bytes of the kernel's generator" + (usesDice ? ", XOR-ed with \(Dice.throwCount) throws of dice or more" : "")]
      + split.script
      + ["each custodian enters their share from paper", "the store is made, and the KEK is dropped"]
  }

  package func run(_ floor: Floor) throws(CeremonyError) {
    let kek = try makeKEK(floor)
    let deal = try Deal.split(kek, split, floor)
    try deal.hand(out: floor)
    try deal.takeBack(floor)
    let (custodians, kind) = (try deal.register(), floor.kind)
    let locked = try CeremonyError.keyStore { () throws(KeyStoreError) in
      try LockedKeyStore.create(
        floor.place.name, in: floor.place.parent, kek: kek, custodians: custodians, kind: kind, at: floor.now, on: floor.directory.disk)
    }
    floor.store = try CeremonyError.keyStore { () throws(KeyStoreError) in try locked.unlock(kek: kek, expecting: kind) }
    try finish(floor)
  }

  /// The plan refused a store that was there before: one that is there now is this ceremony's.
  package func isDone(_ floor: Floor) throws(CeremonyError) -> Bool {
    guard floor.store != nil else { return false }
    try finish(floor)
    return true
  }

  private func finish(_ floor: Floor) throws(CeremonyError) {
    guard let auditOrigin else { return }
    try floor.write(Self.verifierName, Array((try Self.verifier(floor.openStore(), auditOrigin) + "\n").utf8))
  }

  private func makeKEK(_ floor: Floor) throws(CeremonyError) -> SecretBuffer {
    var kek = try CeremonyError.crypto { () throws(CryptoError) in try KeyEncryptionKey.generate() }
    guard usesDice else { return kek }
    let thrown = try Dice.ask(floor)
    var bytes = kek.mutableBytes
    for i in bytes.indices { bytes[i] ^= thrown.bytes[i] }
    return kek
  }

  private static func verifier(_ store: KeyStore, _ origin: String) throws(CeremonyError) -> String {
    guard let key = store.auditSigning.privateKey else { throw .keyStore(.auditKeys) }
    return try CeremonyError.note { () throws(NoteError) in try NoteVerifier(name: origin, key: key.publicKey).vkey }
  }
}
