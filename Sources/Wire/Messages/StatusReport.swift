internal import Encoding

/// `status`: the reply to an operator asking how the daemon is.
package struct StatusReport: Hashable, Sendable {
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
  /// Bytes that the log's disk has left.
  package var auditFree: UInt64 = 0
  /// Bytes of secret memory that are stacks.
  package var stackCapacity: UInt64 = 0
  /// Bytes of the process that are in memory.
  package var residentBytes: UInt64 = 0
  /// Ids of grants that can match nobody on this kernel, which tells neither units nor executables; as many as fit, with spaces between.
  package var unmatchedGrants = ""

  package static let unmatchedGrantsLimit = 1024

  package init() {}

  package init(_ body: consuming MessageReader) throws(WireError) {
    state = try body.string(Fields.state, atMost: 32)
    productVersion = try body.string(Fields.productVersion, atMost: 64)
    rehearsal = try body.bool(Fields.rehearsal)
    started = try body.uint64(Fields.started)
    keys = try body.uint32(Fields.keys)
    connections = try body.uint32(Fields.connections)
    auditSize = try body.uint64(Fields.auditSize)
    let root = try body.bytes(Fields.auditRoot, atMost: 32)
    auditRoot = root.array
    auditVerifierKey = try body.string(Fields.auditVerifierKey, atMost: 512)
    let hash = try body.bytes(Fields.policyHash, atMost: 32)
    policyHash = hash.array
    arena = try body.string(Fields.arena, atMost: 32)
    arenaCapacity = try body.uint64(Fields.arenaCapacity)
    arenaUsed = try body.uint64(Fields.arenaUsed)
    arenaPeak = try body.uint64(Fields.arenaPeak)
    dumpable = try body.bool(Fields.dumpable)
    lockedBytes = try body.uint64(Fields.lockedBytes)
    swappedBytes = try body.uint64(Fields.swappedBytes)
    coreDumps = try body.bool(Fields.coreDumps)
    ptraceScope = try body.optionalUInt64(Fields.ptraceScope)
    seccomp = try body.uint32(Fields.seccomp)
    landlock = try body.bool(Fields.landlock)
    auditCondition = try body.string(Fields.auditCondition, atMost: 32)
    auditFree = try body.uint64(Fields.auditFree)
    stackCapacity = try body.uint64(Fields.stackCapacity)
    residentBytes = try body.uint64(Fields.residentBytes)
    unmatchedGrants = try body.string(Fields.unmatchedGrants, atMost: Self.unmatchedGrantsLimit)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.string(Fields.state, state)
    try writer.string(Fields.productVersion, productVersion)
    try writer.bool(Fields.rehearsal, rehearsal)
    try writer.uint(Fields.started, started)
    try writer.uint(Fields.keys, UInt64(keys))
    try writer.uint(Fields.connections, UInt64(connections))
    try writer.uint(Fields.auditSize, auditSize)
    try writer.bytes(Fields.auditRoot, auditRoot.span)
    try writer.string(Fields.auditVerifierKey, auditVerifierKey)
    try writer.bytes(Fields.policyHash, policyHash.span)
    try writer.string(Fields.arena, arena)
    try writer.uint(Fields.arenaCapacity, arenaCapacity)
    try writer.uint(Fields.arenaUsed, arenaUsed)
    try writer.uint(Fields.arenaPeak, arenaPeak)
    try writer.bool(Fields.dumpable, dumpable)
    try writer.uint(Fields.lockedBytes, lockedBytes)
    try writer.uint(Fields.swappedBytes, swappedBytes)
    try writer.bool(Fields.coreDumps, coreDumps)
    if let ptraceScope { try writer.uint(Fields.ptraceScope, ptraceScope) }
    try writer.uint(Fields.seccomp, UInt64(seccomp))
    try writer.bool(Fields.landlock, landlock)
    try writer.string(Fields.auditCondition, auditCondition)
    try writer.uint(Fields.auditFree, auditFree)
    try writer.uint(Fields.stackCapacity, stackCapacity)
    try writer.uint(Fields.residentBytes, residentBytes)
    try writer.string(Fields.unmatchedGrants, unmatchedGrants)
  }

  private enum Fields {
    static let state = Field(1, "state", .string)
    static let productVersion = Field(2, "product_version", .string)
    static let rehearsal = Field(3, "rehearsal", .bool)
    static let started = Field(4, "started", .uint64)
    static let keys = Field(5, "keys", .uint32)
    static let connections = Field(6, "connections", .uint32)
    static let auditSize = Field(7, "audit_size", .uint64)
    static let auditRoot = Field(8, "audit_root", .bytes)
    static let auditVerifierKey = Field(9, "audit_verifier_key", .string)
    static let policyHash = Field(10, "policy_hash", .bytes)
    static let arena = Field(11, "arena", .string)
    static let arenaCapacity = Field(12, "arena_capacity", .uint64)
    static let arenaUsed = Field(13, "arena_used", .uint64)
    static let arenaPeak = Field(14, "arena_peak", .uint64)
    static let dumpable = Field(15, "dumpable", .bool)
    static let lockedBytes = Field(16, "locked_bytes", .uint64)
    static let swappedBytes = Field(17, "swapped_bytes", .uint64)
    static let coreDumps = Field(18, "core_dumps", .bool)
    static let ptraceScope = Field(19, "ptrace_scope", .uint64, .optional)
    static let seccomp = Field(20, "seccomp", .uint32)
    static let landlock = Field(21, "landlock", .bool)
    static let auditCondition = Field(22, "audit_condition", .string)
    static let auditFree = Field(23, "audit_free", .uint64)
    static let stackCapacity = Field(24, "stack_capacity", .uint64)
    static let residentBytes = Field(25, "resident_bytes", .uint64)
    static let unmatchedGrants = Field(26, "unmatched_grants", .string)
  }

  package static let schema = MessageSchema(
    "StatusReport",
    [
      Fields.state, Fields.productVersion, Fields.rehearsal, Fields.started, Fields.keys, Fields.connections, Fields.auditSize,
      Fields.auditRoot, Fields.auditVerifierKey, Fields.policyHash, Fields.arena, Fields.arenaCapacity, Fields.arenaUsed,
      Fields.arenaPeak, Fields.dumpable, Fields.lockedBytes, Fields.swappedBytes, Fields.coreDumps, Fields.ptraceScope, Fields.seccomp,
      Fields.landlock, Fields.auditCondition, Fields.auditFree, Fields.stackCapacity, Fields.residentBytes, Fields.unmatchedGrants,
    ])
}
