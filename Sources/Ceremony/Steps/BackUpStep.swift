package import Configuration
internal import Crypto
internal import KeyStore

/// Copies the whole store into a directory, reads the copy back, and unwraps every key of it.
package struct BackUpStep: CeremonyStep {
  package static let kind = "back-up"
  private let place: StorePlace

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    place = try StorePlace(table.required("directory", "the directory to make, such as \"/media/backup/keys-2026-12\""))
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
    guard let digest = Digest256(hex: String(text.suffix(64))), text.hasPrefix(place.parent + "/"), text.hasSuffix(Self.text(digest)),
      digest.hex.hasPrefix(half)
    else { throw records.fault("the backup's SHA-256") }
    try records.output(outputs[0], SHA256.hash(Self.file(digest)))
  }

  static func text(_ digest: Digest256) -> String { ", SHA-256 \(digest.hex)" }
  private static func file(_ digest: Digest256) -> [UInt8] { Array((digest.hex + "\n").utf8) }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let (store, name, parent) = (try room.openStore(), name(room), place.parent)
    let facts = try CeremonyError.keyStore { () throws(KeyStoreError) in try store.copy(to: name, in: parent) }
    let text = "\(parent)/\(name), generation \(facts.generation), \(facts.keys) keys" + Self.text(facts.digest)
    try room.record(.fact(subject: Subject.backup, value: text))
    try room.tell("  " + text)
    try room.readBack(.backup, String(facts.digest.hex.prefix(32)))
    try CeremonyError.keyStore { () throws(KeyStoreError) in try store.note(copy: facts.digest) }
    try room.write(outputs[0], Self.file(facts.digest))
  }

  /// What an interrupted sitting left is no backup, so each sitting uses a directory of its own.
  private func name(_ room: CeremonyRoom) -> String {
    CeremonyDirectory.outputName(place.name, room.kind) + (room.sitting == 1 ? "" : "-\(room.sitting)")
  }
}
