package import Audit
package import Host

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
  /// As `good`, but followed by bytes of an unfinished write: left by a crash, or by somebody who imitates one.
  case torn(bytes: Int, records: Int)
  /// Records are missing that a checkpoint kept elsewhere, or a later segment, says existed.
  case truncated(size: UInt64, expected: UInt64)
  case tampered(at: UInt64, Tampering)
  /// As `good`, but nothing shows that a checkpoint kept elsewhere is of this log: it is older than the oldest record, and no true proofs lead
  /// from it to that [AUD-PROOF-4].
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
