package import Audit
import Crypto
import Format

/// Makes proofs from a log's files, in one pass over its records, and checks each proof before it
/// returns it.
package struct Prover {
  private let reader: LogReader
  private let verifier: NoteVerifier

  package init(_ log: LogDirectory, _ verifier: NoteVerifier) {
    reader = LogReader(log)
    self.verifier = verifier
  }

  /// Proves that a record is in the tree of a checkpoint.
  ///
  /// - Parameter note: nil is the log's newest one.
  package func record(_ sequence: UInt64, under note: CosignedCheckpoint? = nil) throws(ProofError)
    -> RecordProof
  {
    let note = try chosen(note)
    let size = try signed(note).size
    guard sequence < size else { throw .noRecord }
    try requireRecords(from: sequence)
    var record: [UInt8] = []
    let inclusion = try made(
      InclusionProof(of: sequence, size: size) { leaves throws(AuditError) in
        try feed(&leaves, below: size) { place, line in if place == sequence { record = line.array }
        }
      })
    guard let inclusion, !record.isEmpty else { throw .otherLog }
    let proof = RecordProof(record: record, inclusion, under: note)
    guard (try? proof.isTrue(verifier)) == true else { throw .otherLog }
    return proof
  }

  /// Proves that the tree of a checkpoint begins with an older one.
  ///
  /// - Parameter note: nil is the log's newest one.
  package func growth(from old: TreeHead, to note: CosignedCheckpoint? = nil) throws(ProofError)
    -> GrowthProof
  {
    let note = try chosen(note)
    let size = try signed(note).size
    guard old.size <= size else { throw .shorter }
    let consistency = try made(
      ConsistencyProof(from: old.size, to: size) { leaves throws(AuditError) in
        try feed(&leaves, below: size) { _, _ in }
      })
    guard let consistency else {
      try requireRecords(from: 0)
      throw .otherLog
    }
    let proof = GrowthProof(from: old.size, consistency, to: note)
    guard (try? proof.isTrue(verifier, from: old)) == true else { throw .otherLog }
    return proof
  }

  /// Proves the same of the log's own older trees, in one pass; of sizes whose proofs need records
  /// that were removed there is none.
  func growths(from sizes: [UInt64], to note: CosignedCheckpoint) throws(ProofError)
    -> [GrowthProof]
  {
    let size = try signed(note).size
    let proofs = try made(
      ConsistencyProof.all(from: sizes, to: size) { leaves throws(AuditError) in
        try feed(&leaves, below: size) { _, _ in }
      })
    var growths: [GrowthProof] = []
    for (old, consistency) in proofs {
      let proof = GrowthProof(from: old.size, consistency, to: note)
      guard (try? proof.isTrue(verifier, from: old)) == true else { throw .otherLog }
      growths.append(proof)
    }
    return growths
  }

  /// The log's newest checkpoint.
  package func newest() throws(ProofError) -> CosignedCheckpoint {
    guard let note = try made(reader.newestCheckpoint()) else {
      throw .noCheckpoint
    }
    return CosignedCheckpoint(note)
  }
}

/// Why there is no proof.
package enum ProofError: Error, Hashable {
  case log(AuditError)
  case noCheckpoint
  /// The record is not in the checkpoint's tree.
  case noRecord
  /// The proof needs records whose segments were removed; the log begins with this record.
  case removed(oldest: UInt64)
  /// The checkpoint is newer than the log, which ends before this size.
  case older(size: UInt64)
  /// The log's key did not sign the checkpoint.
  case signature
  /// The older checkpoint is the larger one: records are missing.
  case shorter
  /// The records give another root than the checkpoints say.
  case otherLog
}

extension Prover {
  private func chosen(_ note: CosignedCheckpoint?) throws(ProofError) -> CosignedCheckpoint {
    let newest = try newest()
    guard let note else { return newest }
    let size = try signed(note).size
    let end = newest.checkpoint.head.size
    guard size <= end else { throw .older(size: end) }
    return note
  }

  private func requireRecords(from sequence: UInt64) throws(ProofError) {
    let oldest = try made(reader.edge().size)
    guard oldest <= sequence else { throw .removed(oldest: oldest) }
  }

  private func signed(_ note: CosignedCheckpoint) throws(ProofError) -> TreeHead {
    do throws(NoteError) { return try note.head(signedBy: verifier) } catch { throw .signature }
  }

  private func feed(
    _ leaves: inout SubtreeRoots, below size: UInt64, _ visit: (UInt64, Span<UInt8>) -> Void
  ) throws(AuditError) {
    let edge = try reader.edge()
    leaves.take(edge)
    try reader.forEachLine(from: edge.size) { sequence, line in
      guard sequence < size else { return false }
      visit(sequence, line)
      leaves.take(TreeHash.leaf(line))
      return true
    }
  }

  private func made<R>(_ body: @autoclosure () throws(AuditError) -> R) throws(ProofError) -> R {
    do throws(AuditError) { return try body() } catch { throw .log(error) }
  }
}
