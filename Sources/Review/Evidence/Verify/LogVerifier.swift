// Evidence: what shows others that a log is whole: verifying, proofs, exports, witnesses,
// retention.
// It reads a log as `Audit` does, with public keys only.
// The daemon must not link it.

package import Audit
import Crypto
package import Host

/// Verifies a whole log without its daemon: every record, every link, every checkpoint's size and
/// root, and the signatures.
///
/// It streams, so its memory use does not grow with the log.
package struct LogVerifier {
  private let verifier: NoteVerifier
  private let anchor: TreeHead?
  private let signatures: SignatureScope

  /// - Parameters:
  ///   - anchor: a tree head kept outside the host; without it, a log that was cut back to an older
  ///     checkpoint passes.
  ///   - signatures: `.every` takes about 0.1 ms for each checkpoint.
  package init(
    _ verifier: NoteVerifier, anchor: TreeHead? = nil, signatures: SignatureScope = .last
  ) {
    self.verifier = verifier
    self.anchor = anchor
    self.signatures = signatures
  }

  /// - Parameter covered: called for each segment with a checkpoint, in order, as soon as it is
  ///   verified.
  package func verify(_ directory: LogDirectory, covered: (CoveredSegment) -> Void = { _ in })
    -> Verification
  {
    var found = Verification()
    do throws(AuditError) {
      found.verdict = try verify(directory, into: &found, covered)
    } catch {
      found.verdict = Verdict(error)
    }
    return found
  }

  private func verify(
    _ directory: LogDirectory, into found: inout Verification, _ report: (CoveredSegment) -> Void
  ) throws(AuditError) -> Verdict {
    let segments = try onDisk(directory.segments())
    guard let oldest = segments.first else { return .unreadable(nil) }
    found.firstSequence = oldest.first
    var state: LogState?
    for name in segments {
      if let state { try checkNext(name, after: state) }
      let isLast = name == segments.last
      var scan = try scanned(name, in: directory, after: state)
      // A batch that is being written looks torn, but is complete when it is read again.
      while isLast, scan.ending == .torn {
        let again = try scanned(name, in: directory, after: state)
        guard again.ending == .clean || again.coveredEnd > scan.coveredEnd else { break }
        scan = again
      }
      found.segmentCount += 1
      found.checkpointCount += scan.checkpointCount
      if let covered = scan.progress.covered {
        state = covered
        found.head = covered.tree.head
      }
      if let note = scan.lastNote {
        report(
          CoveredSegment(
            fileName: name.text, byteCount: scan.coveredEnd, checkpointCount: scan.checkpointCount,
            checkpoint: note))
      }
      if scan.ending == .torn {
        let tail = try scan.uncovered()
        guard isLast else { throw .tampered(at: scan.progress.coveredSize, .remainder) }
        return try objection(to: found, in: directory)
          ?? .torn(bytes: tail.count, records: Int(scan.progress.size - scan.progress.coveredSize))
      }
      if !isLast, try scan.paddedRemainder() > 0 {
        throw .tampered(at: scan.progress.coveredSize, .remainder)
      }
    }
    return try objection(to: found, in: directory)
      ?? (found.head == nil ? .torn(bytes: 0, records: 0) : .good)
  }

  private func scanned(_ name: SegmentName, in directory: LogDirectory, after state: LogState?)
    throws(AuditError) -> SegmentScan
  {
    do throws(AuditError) {
      return try scanned(name, in: directory, after: state, signatures)
    } catch {
      guard case .tampered = error, signatures == .last else { throw error }
      // Checking every signature narrows down where the change began; and a batch that was being
      // written is complete by now.
      return try scanned(name, in: directory, after: state, .every)
    }
  }

  private func scanned(
    _ name: SegmentName, in directory: LogDirectory, after state: LogState?,
    _ signatures: SignatureScope
  ) throws(AuditError) -> SegmentScan {
    var scan = SegmentScan(
      try directory.read(name), name, after: state, verifier: verifier, signatures: signatures,
      anchor: anchor)
    try scan.run()
    return scan
  }

  private func checkNext(_ name: SegmentName, after state: LogState) throws(AuditError) {
    let size = state.tree.size
    guard name.first <= size else { throw .truncated(size: size, expected: name.first) }
    guard name.first == size else { throw .tampered(at: name.first, .sequence) }
  }

  /// What a tree head kept elsewhere says against records that are in their places themselves.
  private func objection(to found: Verification, in directory: LogDirectory) throws(AuditError)
    -> Verdict?
  {
    guard let anchor else { return nil }
    let size = found.head?.size ?? 0
    let oldest = found.firstSequence
    guard anchor.size <= size else { throw .truncated(size: size, expected: anchor.size) }
    guard anchor.size < oldest else { return nil }
    guard let proven = PrunedProofs(directory).head(from: anchor, to: oldest, verifier) else {
      return .uncompared(kept: anchor.size, oldest: oldest)
    }
    guard try proven == LogReader(directory).edge().head else { throw .tampered(at: oldest, .fork) }
    return nil
  }
}

/// A segment that was verified up to its last checkpoint.
package struct CoveredSegment: Sendable {
  package let fileName: String
  /// The bytes up to the end of that checkpoint.
  package let byteCount: Int
  package let checkpointCount: Int
  package let checkpoint: SignedCheckpoint
}

/// What a verifier found.
package struct Verification: Equatable, Sendable {
  package internal(set) var verdict = Verdict.unreadable(nil)
  /// The head of the last valid checkpoint; nil if there is none.
  package internal(set) var head: TreeHead?
  /// Not 0 if older segments were removed under a retention rule.
  package internal(set) var firstSequence: UInt64 = 0
  package internal(set) var segmentCount = 0
  package internal(set) var checkpointCount = 0

  /// Records at the end that no checkpoint covers; a good log has none.
  package var uncoveredCount: Int {
    switch verdict {
    case .torn(_, let records): records
    case .good, .truncated, .tampered, .uncompared, .unreadable: 0
    }
  }
}

package enum Verdict: Hashable, Sendable {
  /// Every record is in its place under a signed checkpoint.
  case good
  /// As `good`, but followed by bytes of an unfinished write: left by a crash, or by somebody who
  /// imitates one.
  case torn(bytes: Int, records: Int)
  /// Records are missing that a checkpoint kept elsewhere, or a later segment, says existed.
  case truncated(size: UInt64, expected: UInt64)
  case tampered(at: UInt64, Tampering)
  /// As `good`, but nothing shows that a checkpoint kept elsewhere is of this log: it is older than
  /// the oldest record, and no true proofs lead from it to that [AUD-PROOF-4].
  case uncompared(kept: UInt64, oldest: UInt64)
  /// There is no log, or it cannot be read.
  case unreadable(DiskError?)

  /// One word, as JSON has it.
  package var name: String {
    switch self {
    case .good: "good"
    case .torn: "torn"
    case .truncated: "truncated"
    case .tampered: "tampered"
    case .uncompared: "uncompared"
    case .unreadable: "unreadable"
    }
  }

  /// The exit code of `kist audit verify`; 66 is `EX_NOINPUT`.
  package var exitCode: Int32 {
    switch self {
    case .good: 0
    case .tampered: 1
    case .truncated: 3
    case .torn: 4
    case .uncompared: 6
    case .unreadable: 66
    }
  }

  init(_ error: AuditError) {
    switch error {
    case .truncated(let size, let expected): self = .truncated(size: size, expected: expected)
    case .tampered(let sequence, let what): self = .tampered(at: sequence, what)
    case .disk(let error): self = .unreadable(error)
    // A verifier never gets these.
    case .unavailable, .full, .inUse, .clock, .displaced, .signing: self = .unreadable(nil)
    }
  }
}
