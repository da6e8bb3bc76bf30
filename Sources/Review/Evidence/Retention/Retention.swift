package import Audit
package import Format
package import Host

/// Removes a log's oldest segments, and keeps the signed root over their records.
///
/// What is left verifies as before: its first record has the tree's right edge, and every root that
/// is signed later proves it.
package struct Retention {
  private let log: LogDirectory
  private let verifier: NoteVerifier
  private let kept: [TreeHead]

  /// - Parameter kept: tree heads that were kept elsewhere: the log must agree with them, and can
  ///   still be compared with them afterwards.
  package init(_ log: LogDirectory, _ verifier: NoteVerifier, kept: [TreeHead] = []) {
    self.log = log
    self.verifier = verifier
    self.kept = kept
  }

  /// What was removed, or would be.
  package struct Pruning: Equatable, Sendable {
    /// File names, the oldest first.
    package let segments: [String]
    /// The last checkpoint of the last of them, which covers all their records.
    package let checkpoint: SignedCheckpoint
    /// None of their records is newer.
    package let end: Timestamp
  }

  /// The complete segments all of whose records are older than `time`, as seen at `now`; nil if
  /// there is none.
  ///
  /// A segment is that old when the next one knows of no later record. The last one stays, and the
  /// one before it while the last has a single batch: whether that is durable, only the next batch
  /// shows, and it would be all that is left.
  /// - Throws: `RetentionError.notGood`: nothing is removed from a log that does not verify.
  package func expired(before time: Timestamp, at now: Timestamp) throws(RetentionError) -> Pruning?
  {
    var covered: [CoveredSegment] = []
    try require(LogVerifier(verifier, anchor: kept.first).verify(log) { covered.append($0) })
    for head in kept.dropFirst() { try require(LogVerifier(verifier, anchor: head).verify(log)) }
    let starts: [LogReader.SegmentStart]
    do throws(AuditError) { starts = try LogReader(log).segmentStarts(at: now) } catch {
      throw .log(error)
    }
    let staying = covered.last.map { $0.checkpointCount > 1 } ?? false ? 1 : 2
    let count = min(
      starts.dropFirst().prefix { $0.latestBefore <= time }.count, covered.count - staying)
    guard count > 0 else { return nil }
    return Pruning(
      segments: starts.prefix(count).map(\.fileName), checkpoint: covered[count - 1].checkpoint,
      end: starts[count].latestBefore)
  }

  /// The newest backup of which the log has a record.
  package func newestBackup() throws(AuditError) -> (record: UInt64, needs: UInt64)? {
    var newest: (UInt64, UInt64)?
    _ = try LogReader(log).forEachRecord { record, _ in
      // Only one that was made has it.
      if let backup = record.inputs.backup { newest = (record.sequence, backup.needs) }
      return true
    }
    return newest
  }

  /// Keeps the checkpoint and proofs of it in `pruned/`, and removes the segments, the oldest
  /// first; if interrupted anywhere, what is left is a valid log.
  package func prune(_ pruning: Pruning) throws(RetentionError) {
    let proofs = try proofs(of: pruning)
    let name = String(pruning.checkpoint.checkpoint.head.size)
    do throws(DiskError) {
      try DurableFile.makeDirectory(
        PrunedProofs.folderName, in: log.path, mode: 0o755, on: log.disk)
      try PrunedProofs(log).write(proofs)
      try DurableFile.replace(
        name, in: log.path + "/" + PrunedProofs.folderName, with: pruning.checkpoint.note.span,
        mode: 0o644, on: log.disk)
      for segment in pruning.segments {
        try log.disk.remove(log.path + "/" + segment)
        try log.disk.syncDirectory(log.path)
      }
    } catch { throw .disk(error) }
  }

  private func require(_ found: Verification) throws(RetentionError) {
    guard found.verdict == .good else { throw .notGood(found) }
  }

  /// From every tree that somebody may have kept of the records to be removed: those given, the
  /// segments', and those that records name.
  private func proofs(of pruning: Pruning) throws(RetentionError) -> [GrowthProof] {
    var sizes = Set(kept.map(\.size) + pruning.segments.compactMap { UInt64($0.prefix(20)) })
    do throws(AuditError) {
      _ = try LogReader(log).forEachRecord { record, _ in
        sizes.formUnion(record.keptSizes)
        return true
      }
    } catch { throw .log(error) }
    let end = pruning.checkpoint.checkpoint.head.size
    do throws(ProofError) {
      return try Prover(log, verifier).growths(
        from: sizes.filter { $0 < end }.sorted(), to: CosignedCheckpoint(pruning.checkpoint))
    } catch { throw .proof(error) }
  }
}

extension Record {
  /// How many records had the trees that a reviewer signed, a ceremony's transcript ends with, or a
  /// backup goes back to.
  fileprivate var keptSizes: [UInt64] {
    [
      inputs.review?.head.size, inputs.backup?.needs,
      eventNumber("size").flatMap { UInt64(exactly: $0) },
    ].compactMap { $0 }
  }
}

/// Why nothing is removed.
package enum RetentionError: Error, Equatable {
  case notGood(Verification)
  case log(AuditError)
  case proof(ProofError)
  case disk(DiskError)
}

/// The proofs in a log's `pruned/` by which a checkpoint that is older than the oldest record is
/// still compared with the log [AUD-PROOF-4].
struct PrunedProofs {
  private let log: LogDirectory
  private let folder: String

  init(_ log: LogDirectory) {
    self.log = log
    folder = log.path + "/" + Self.folderName
  }

  static let folderName = "pruned"

  /// Replaces those of the same names.
  func write(_ proofs: [GrowthProof]) throws(DiskError) {
    for proof in proofs {
      try DurableFile.replace(
        Name(proof).text, in: folder, with: proof.text.span, mode: 0o644, on: log.disk)
    }
  }

  /// The file names.
  var names: [String] { all.map(\.text) }

  func contents(_ name: String) throws(StorageError) -> [UInt8] {
    try DurableFile.read(folder + "/" + name, limit: GrowthProof.byteLimit, on: log.disk)
  }

  /// Follows true proofs from a tree head, which the caller trusts, to that of `size` records.
  ///
  /// - Returns: nil if they do not lead there.
  func head(from old: TreeHead, to size: UInt64, _ verifier: NoteVerifier) -> TreeHead? {
    var head = old
    while head.size < size {
      // The one that leads furthest.
      let next = all.filter { $0.old == head.size && (head.size + 1...size).contains($0.new) }.max {
        $0.new < $1.new
      }
      guard let next, let text = try? contents(next.text),
        let proof = try? GrowthProof(parsing: text.span),
        proof.note.checkpoint.head.size == next.new,
        (try? proof.isTrue(verifier, from: head)) == true
      else { return nil }
      head = proof.note.checkpoint.head
    }
    return head
  }

  private var all: [Name] { ((try? log.disk.list(folder)) ?? []).compactMap(Name.init) }

  /// `OLD-NEW`, two numbers of records.
  private struct Name {
    let old, new: UInt64

    init(_ proof: GrowthProof) {
      old = proof.oldSize
      new = proof.note.checkpoint.head.size
    }

    init?(_ text: String) {
      let sizes = text.split(separator: "-").compactMap { UInt64($0) }
      guard sizes.count == 2 else { return nil }
      old = sizes[0]
      new = sizes[1]
      guard self.text == text else { return nil }
    }

    var text: String { "\(old)-\(new)" }
  }
}
