/// `status`: the reply to an operator asking how the daemon is.
package struct StatusReport: Message, Hashable, Sendable {
  /// `locked`, `serving` or `audit-unavailable`.
  package var state = ""
  package var productVersion = ""
  package var rehearsal = false
  /// Seconds since 1970.
  package var started: UInt64 = 0
  package var keys: UInt32 = 0
  package var connections: UInt32 = 0
  /// Records in the audit log.
  package var auditSize: UInt64 = 0
  /// SHA-256, 32 bytes; empty while locked.
  package var auditRoot: [UInt8] = []
  /// The verifier key of the log's checkpoints.
  package var auditVerifierKey = ""
  /// SHA-256 of the effective policy, 32 bytes.
  package var policyHash: [UInt8] = []
  /// `memfd_secret` or `mlock`.
  package var arena = ""
  /// Bytes.
  package var arenaCapacity: UInt64 = 0
  package var arenaUsed: UInt64 = 0
  package var arenaPeak: UInt64 = 0
  /// Whether the process may be dumped or traced by its own user.
  package var dumpable = false
  /// Bytes of the process that are locked in memory, the arena's among them.
  package var lockedBytes: UInt64 = 0
  /// Bytes of the process that are in swap now; none of them are the arena's.
  package var swappedBytes: UInt64 = 0
  /// Whether a crash may leave a core file.
  package var coreDumps = false
  /// `kernel.yama.ptrace_scope`; nil where the kernel has no Yama.
  package var ptraceScope: UInt64?
  /// The mode of the process: 0 none, 2 a filter.
  package var seccomp: UInt32 = 0
  /// Whether files outside the daemon's own directories cannot be opened.
  package var landlock = false
  /// `ample`, `low` or `full`, or `failed` for a log that takes nothing more; empty while locked.
  package var auditCondition = ""
  /// Bytes that the log's disk has left, in every state.
  package var auditFree: UInt64 = 0
  /// Bytes of secret memory that are stacks.
  package var stackCapacity: UInt64 = 0
  /// Bytes of the process that are in memory.
  package var residentBytes: UInt64 = 0
  /// Ids of grants that can match nobody on this kernel, which tells neither units nor executables;
  /// as many as fit, with spaces between.
  package var unmatchedGrants = ""
  /// When the first key that is in use ends, in seconds since 1970; zero if none ends, and while
  /// locked.
  package var nextKeyEnd: UInt64 = 0
  /// Whether the program's code is its files' since the start: no uprobe and no breakpoint has
  /// changed it.
  package var codeIntact = false

  /// The share of what the fullest of the key store's files may have, in hundredths; zero while
  /// locked.
  package var storeFill: UInt32 = 0

  /// The first share at which people are warned.
  package static let highFill: UInt32 = 75

  package static let unmatchedGrantsLimit = 1024

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "state", &state, .atMost(32))
    try visitor.text(2, "product_version", &productVersion, .atMost(64))
    try visitor.bool(3, "rehearsal", &rehearsal)
    try visitor.uint64(4, "started", &started)
    try visitor.uint32(5, "keys", &keys)
    try visitor.uint32(6, "connections", &connections)
    try visitor.uint64(7, "audit_size", &auditSize)
    try visitor.bytes(8, "audit_root", &auditRoot, .atMost(32))
    try visitor.text(9, "audit_verifier_key", &auditVerifierKey, .atMost(512))
    try visitor.bytes(10, "policy_hash", &policyHash, .atMost(32))
    try visitor.text(11, "arena", &arena, .atMost(32))
    try visitor.uint64(12, "arena_capacity", &arenaCapacity)
    try visitor.uint64(13, "arena_used", &arenaUsed)
    try visitor.uint64(14, "arena_peak", &arenaPeak)
    try visitor.bool(15, "dumpable", &dumpable)
    try visitor.uint64(16, "locked_bytes", &lockedBytes)
    try visitor.uint64(17, "swapped_bytes", &swappedBytes)
    try visitor.bool(18, "core_dumps", &coreDumps)
    try visitor.uint64(19, "ptrace_scope", &ptraceScope)
    try visitor.uint32(20, "seccomp", &seccomp)
    try visitor.bool(21, "landlock", &landlock)
    try visitor.text(22, "audit_condition", &auditCondition, .atMost(32))
    try visitor.uint64(23, "audit_free", &auditFree)
    try visitor.uint64(24, "stack_capacity", &stackCapacity)
    try visitor.uint64(25, "resident_bytes", &residentBytes)
    try visitor.text(26, "unmatched_grants", &unmatchedGrants, .atMost(Self.unmatchedGrantsLimit))
    try visitor.uint64(27, "next_key_end", &nextKeyEnd)
    try visitor.bool(28, "code_intact", &codeIntact)
    try visitor.uint32(29, "store_fill", &storeFill)
  }
}
