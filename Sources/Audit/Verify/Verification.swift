package import Storage

/// What a verifier found.
package struct Verification: Equatable, Sendable {
  package internal(set) var verdict = Verdict.unreadable(nil)
  /// What the last true checkpoint says; nil where there is none.
  package internal(set) var head: TreeHead?
  /// Not 0 where older segments were taken away under a retention rule.
  package internal(set) var firstSequence: UInt64 = 0
  package internal(set) var segmentCount = 0
  package internal(set) var checkpointCount = 0

  /// Records at the end that no checkpoint covers: in a good log there are none.
  package var uncoveredCount: Int {
    switch verdict {
    case .torn(_, let records): records
    case .good, .truncated, .tampered, .unreadable: 0
    }
  }
}

package enum Verdict: Hashable, Sendable {
  /// Every record is in its place under a signed checkpoint.
  case good
  /// As `good`, but bytes follow that were never finished: a crash, or somebody who would have it look like one.
  case torn(bytes: Int, records: Int)
  /// Records are missing that a checkpoint kept elsewhere, or a later segment, says there were.
  case truncated(size: UInt64, expected: UInt64)
  case tampered(at: UInt64, Tampering)
  /// There is no log, or it cannot be read.
  case unreadable(DiskError?)

  /// What `kist audit verify` exits with; 66 is `EX_NOINPUT`.
  package var exitCode: Int32 {
    switch self {
    case .good: 0
    case .tampered: 1
    case .truncated: 3
    case .torn: 4
    case .unreadable: 66
    }
  }

  init(_ error: AuditError) {
    switch error {
    case .truncated(let size, let expected): self = .truncated(size: size, expected: expected)
    case .tampered(let sequence, let what): self = .tampered(at: sequence, what)
    case .disk(let error): self = .unreadable(error)
    // A reader meets none of these.
    case .unavailable, .full, .inUse, .clock, .displaced, .signing: self = .unreadable(nil)
    }
  }
}
