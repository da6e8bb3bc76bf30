// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: StatusReport. */
public final class StatusReport implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "state", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(2, "productVersion", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "rehearsal", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(4, "started", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(5, "keys", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(6, "connections", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(7, "auditSize", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(8, "auditRoot", "bytes", Field.Presence.ANY, 0, 32, 0),
    new Field(9, "auditVerifierKey", "string", Field.Presence.ANY, 0, 512, 0),
    new Field(10, "policyHash", "bytes", Field.Presence.ANY, 0, 32, 0),
    new Field(11, "arena", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(12, "arenaCapacity", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(13, "arenaUsed", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(14, "arenaPeak", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(15, "dumpable", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(16, "lockedBytes", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(17, "swappedBytes", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(18, "coreDumps", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(19, "ptraceScope", "uint64", Field.Presence.OPTIONAL, 0, Long.MAX_VALUE, 0),
    new Field(20, "seccomp", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(21, "landlock", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(22, "auditCondition", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(23, "auditFree", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(24, "stackCapacity", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(25, "residentBytes", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(26, "unmatchedGrants", "string", Field.Presence.ANY, 0, 1024, 0),
    new Field(27, "nextKeyEnd", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(28, "codeIntact", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(29, "storeFill", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
  };

  private String state;
  private String productVersion;
  private boolean rehearsal;
  private long started;
  private long keys;
  private long connections;
  private long auditSize;
  private byte[] auditRoot;
  private String auditVerifierKey;
  private byte[] policyHash;
  private String arena;
  private long arenaCapacity;
  private long arenaUsed;
  private long arenaPeak;
  private boolean dumpable;
  private long lockedBytes;
  private long swappedBytes;
  private boolean coreDumps;
  private Long ptraceScope;
  private long seccomp;
  private boolean landlock;
  private String auditCondition;
  private long auditFree;
  private long stackCapacity;
  private long residentBytes;
  private String unmatchedGrants;
  private long nextKeyEnd;
  private boolean codeIntact;
  private long storeFill;
  private Long auditSequence;

  /** One without any field. */
  StatusReport() {}

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String state() {
    return state;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String productVersion() {
    return productVersion;
  }

  /**
   * The rehearsal.
   *
   * @return what it is
   */
  public boolean rehearsal() {
    return rehearsal;
  }

  /**
   * Seconds since 1970.
   *
   * @return what it is
   */
  public long started() {
    return started;
  }

  /**
   * The keys.
   *
   * @return what it is
   */
  public long keys() {
    return keys;
  }

  /**
   * Open now.
   *
   * @return what it is
   */
  public long connections() {
    return connections;
  }

  /**
   * Records in the log.
   *
   * @return what it is
   */
  public long auditSize() {
    return auditSize;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] auditRoot() {
    return auditRoot;
  }

  /**
   * At most 512 bytes.
   *
   * @return null if it is missing
   */
  public String auditVerifierKey() {
    return auditVerifierKey;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] policyHash() {
    return policyHash;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String arena() {
    return arena;
  }

  /**
   * Bytes.
   *
   * @return what it is
   */
  public long arenaCapacity() {
    return arenaCapacity;
  }

  /**
   * Bytes.
   *
   * @return what it is
   */
  public long arenaUsed() {
    return arenaUsed;
  }

  /**
   * The most bytes that were in use.
   *
   * @return what it is
   */
  public long arenaPeak() {
    return arenaPeak;
  }

  /**
   * Whether the kernel would let the process be traced.
   *
   * @return what it is
   */
  public boolean dumpable() {
    return dumpable;
  }

  /**
   * The locked bytes.
   *
   * @return what it is
   */
  public long lockedBytes() {
    return lockedBytes;
  }

  /**
   * The swapped bytes.
   *
   * @return what it is
   */
  public long swappedBytes() {
    return swappedBytes;
  }

  /**
   * Whether the kernel would write one.
   *
   * @return what it is
   */
  public boolean coreDumps() {
    return coreDumps;
  }

  /**
   * Absent without Yama.
   *
   * @return null if it is missing
   */
  public Long ptraceScope() {
    return ptraceScope;
  }

  /**
   * The seccomp.
   *
   * @return what it is
   */
  public long seccomp() {
    return seccomp;
  }

  /**
   * The landlock.
   *
   * @return what it is
   */
  public boolean landlock() {
    return landlock;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String auditCondition() {
    return auditCondition;
  }

  /**
   * The audit free.
   *
   * @return what it is
   */
  public long auditFree() {
    return auditFree;
  }

  /**
   * The stack capacity.
   *
   * @return what it is
   */
  public long stackCapacity() {
    return stackCapacity;
  }

  /**
   * The resident bytes.
   *
   * @return what it is
   */
  public long residentBytes() {
    return residentBytes;
  }

  /**
   * At most 1024 bytes.
   *
   * @return null if it is missing
   */
  public String unmatchedGrants() {
    return unmatchedGrants;
  }

  /**
   * The next key end.
   *
   * @return what it is
   */
  public long nextKeyEnd() {
    return nextKeyEnd;
  }

  /**
   * The code intact.
   *
   * @return what it is
   */
  public boolean codeIntact() {
    return codeIntact;
  }

  /**
   * The store fill.
   *
   * @return what it is
   */
  public long storeFill() {
    return storeFill;
  }

  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }

  @Override
  public void visit(Visitor visitor) {
    state = visitor.text(FIELDS[0], state);
    productVersion = visitor.text(FIELDS[1], productVersion);
    rehearsal = visitor.flag(FIELDS[2], rehearsal);
    started = visitor.number(FIELDS[3], started);
    keys = visitor.number(FIELDS[4], keys);
    connections = visitor.number(FIELDS[5], connections);
    auditSize = visitor.number(FIELDS[6], auditSize);
    auditRoot = visitor.bytes(FIELDS[7], auditRoot);
    auditVerifierKey = visitor.text(FIELDS[8], auditVerifierKey);
    policyHash = visitor.bytes(FIELDS[9], policyHash);
    arena = visitor.text(FIELDS[10], arena);
    arenaCapacity = visitor.number(FIELDS[11], arenaCapacity);
    arenaUsed = visitor.number(FIELDS[12], arenaUsed);
    arenaPeak = visitor.number(FIELDS[13], arenaPeak);
    dumpable = visitor.flag(FIELDS[14], dumpable);
    lockedBytes = visitor.number(FIELDS[15], lockedBytes);
    swappedBytes = visitor.number(FIELDS[16], swappedBytes);
    coreDumps = visitor.flag(FIELDS[17], coreDumps);
    ptraceScope = visitor.optional(FIELDS[18], ptraceScope);
    seccomp = visitor.number(FIELDS[19], seccomp);
    landlock = visitor.flag(FIELDS[20], landlock);
    auditCondition = visitor.text(FIELDS[21], auditCondition);
    auditFree = visitor.number(FIELDS[22], auditFree);
    stackCapacity = visitor.number(FIELDS[23], stackCapacity);
    residentBytes = visitor.number(FIELDS[24], residentBytes);
    unmatchedGrants = visitor.text(FIELDS[25], unmatchedGrants);
    nextKeyEnd = visitor.number(FIELDS[26], nextKeyEnd);
    codeIntact = visitor.flag(FIELDS[27], codeIntact);
    storeFill = visitor.number(FIELDS[28], storeFill);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
