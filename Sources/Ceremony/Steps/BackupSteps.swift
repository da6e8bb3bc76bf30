package import Configuration
import Crypto
import KeyStore

/// Copies the whole store into a directory, reads the copy back, and unwraps every key of it.
package struct BackUpStep: CeremonyStep {
  package static let kind = "back-up"
  private let place: StorePlace

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    place = try StorePlace(
      table.required("directory", "the directory to make, such as \"/media/backup/keys-2026-12\""))
  }

  package var outputs: [String] { [place.name + ".sha256"] }
  package var readBacks: [ReadBack] { [.backup] }

  package var script: [String] {
    [
      "the store is copied to \(place.path), which is made now; every key of the copy is unwrapped and compared",
      "the copy's SHA-256 is read back, and goes to \(outputs[0]): restoring the copy needs it",
    ]
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let text = try records.fact(Subject.backup)
    let half = try records.readBack(.backup)
    guard let digest = Digest256(hex: String(text.suffix(64))), text.hasPrefix(place.parent + "/"),
      text.hasSuffix(Self.text(digest)),
      digest.hex.hasPrefix(half)
    else { throw records.fault("the backup's SHA-256") }
    try records.output(outputs[0], SHA256.hash(Self.file(digest)))
  }

  static func text(_ digest: Digest256) -> String { ", SHA-256 \(digest.hex)" }
  private static func file(_ digest: Digest256) -> [UInt8] { Array((digest.hex + "\n").utf8) }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    let name = name(room)
    let parent = place.parent
    let facts = try onStore(store.copy(to: name, in: parent))
    let text =
      "\(parent)/\(name), generation \(facts.generation), \(facts.keys) keys"
      + Self.text(facts.digest)
    try room.record(.fact(subject: Subject.backup, value: text))
    try room.tell("  " + text)
    try room.readBack(.backup, String(facts.digest.hex.prefix(32)))
    try onStore(store.note(copy: facts.digest))
    try room.write(outputs[0], Self.file(facts.digest))
  }

  /// What an interrupted sitting left is no backup, so each sitting uses a directory of its own.
  private func name(_ room: CeremonyRoom) -> String {
    CeremonyDirectory.outputName(place.name, room.kind)
      + (room.sitting == 1 ? "" : "-\(room.sitting)")
  }
}

/// Makes a store from a copy, and opens it for the other steps.
package struct RestoreStep: CeremonyStep {
  package static let kind = "restore"
  package static let opensStore = true
  private let copy: StorePlace
  private let digest: Digest256
  /// How the store is then opened.
  let unlock: UnlockStep

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    copy = try StorePlace(
      table.required("copy", "where the copy is, such as \"/media/backup/keys-2026-12\""))
    digest = try table.required(
      "sha256", TOMLNode.expectedDigest + ", as the record of the backup has it"
    ).sha256()
    unlock = try UnlockStep(table, people)
  }

  package var opening: UnlockStep? { unlock }
  package var readBacks: [ReadBack] { unlock.readBacks }

  package var script: [String] {
    [
      "the copy's SHA-256 over all its files must be \(digest.hex)",
      "a store is made of the copy in \(copy.path), if there is none; keys for one-time codes serve no codes, since the copy's counters are old",
    ] + unlock.script
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let text = try records.fact(Subject.restored)
    guard records.kind == .rehearsal || text.hasSuffix(BackUpStep.text(digest)) else {
      throw records.fault("a copy with the SHA-256 \(digest.hex)")
    }
    let line = try records.change(.kek) { StoreInventory.isKEK($0) }
    try unlock.check(&records, expecting: line)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let place = room.place
    let kind = room.kind
    let now = room.now
    let path = copy.parent + "/" + CeremonyDirectory.outputName(copy.name, kind)
    let copy = try onStore(StoreCopy(path, on: room.directory.disk))
    let facts = copy.facts
    // Checked before the record says that the store is made from this copy. A rehearsal's own copy
    // is not the reviewed one.
    guard kind == .rehearsal || facts.digest == digest else { throw .keyStore(.otherCopy) }
    try room.record(
      .fact(
        subject: Subject.restored,
        value: "\(path), generation \(facts.generation), \(facts.keys) keys"
          + BackUpStep.text(facts.digest)))
    try room.change(
      .kek, to: StoreInventory(copy),
      onStore(copy.restore(to: place.name, in: place.parent, digest: facts.digest, at: now)))
    try room.tell("  a store was made of generation \(facts.generation), \(facts.keys) keys")
    try unlock.run(room)
  }

  /// The people in the room vouch for the copy, so the daemon's configuration need not name it.
  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    try onStore(store.noteRestoring())
  }
}
