import Audit
import Crypto
import Host
import Review

/// A signed checkpoint and a verifier key, as `kist audit verify` is given them.
enum NoteTarget: FuzzTarget {
  static let name = "note"
  static let byteLimit = 1200

  static func seeds() throws -> [[UInt8]] {
    let seed = [UInt8](repeating: 3, count: 32)
    let signer = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: seed.span))
    let note = try Checkpoint(origin: signer.name, head: TreeHead(size: 12, root: SHA256.hash([5])))
      .signed(by: signer)
    return [note, Array(signer.verifier.vkey.utf8), note + note]
  }

  static func run(_ input: [UInt8]) throws {
    if let note = try? SignedCheckpoint(parsing: input.span) {
      try promise(note.note == input, "a note encodes to other bytes")
    }
    guard let text = String(validating: input, as: UTF8.self),
      let verifier = try? NoteVerifier(vkey: text)
    else { return }
    try promise(Array(verifier.vkey.utf8) == input, "a verifier key encodes to other bytes")
  }
}
