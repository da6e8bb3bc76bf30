import Audit
import Crypto
import Format
import Host
import Review

/// What auditors and witnesses hand back: cosigned checkpoints, proofs, and the policy that says
/// whose cosignatures count.
enum EvidenceTarget: FuzzTarget {
  static let name = "evidence"
  static let byteLimit = 4096

  static func seeds() throws -> [[UInt8]] {
    let seed = [UInt8](repeating: 3, count: 32)
    let signer = try NoteSigner(name: "kist.test/audit", key: PrivateKey(ed25519Seed: seed.span))
    let line = Array("{}".utf8)
    let path = [SHA256.hash([1]), SHA256.hash([2])]
    let note = try Checkpoint(origin: signer.name, head: TreeHead(size: 3, root: SHA256.hash([5])))
      .signed(by: signer)
    let cosigned = try CosignedCheckpoint(parsing: note.span)
    let key = signer.verifier.vkey
    return [
      note, note + note.suffix(note.count / 2),
      RecordProof(record: line, InclusionProof(index: 1, size: 3, path: path), under: cosigned)
        .text,
      GrowthProof(from: 2, ConsistencyProof(path: path), to: cosigned).text,
      Array(
        "log \(key)\nwitness a \(key) https://witness.test/\nwitness b \(key)\ngroup g 1 a b\nquorum g\n"
          .utf8),
      Array("quorum none\n".utf8), Array("group g any a\nquorum g\n".utf8),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    if let note = try? CosignedCheckpoint(parsing: input.span) {
      return try promise(note.note == input, "a cosigned checkpoint encodes to other bytes")
    }
    if let proof = try? RecordProof(parsing: input.span) {
      return try promise(proof.text == input, "a record's proof encodes to other bytes")
    }
    if let proof = try? GrowthProof(parsing: input.span) {
      return try promise(proof.text == input, "a proof of growth encodes to other bytes")
    }
    _ = try WitnessPolicy(parsing: input.span)
  }
}
