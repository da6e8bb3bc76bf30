// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** What anyone who may use a key may know of it. */
public final class KeyDescription implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "id", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
    new Field(2, "label", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(3, "role", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(4, "state", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(5, "algorithm", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(6, "usage", "string", Field.Presence.ANY, 0, 16, 0),
    new Field(7, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
    new Field(8, "publicKey", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(9, "checkValue", "bytes", Field.Presence.ANY, 0, 32, 0),
    new Field(10, "certificate", "bytes", Field.Presence.ANY, 0, 8192, 0),
    new Field(11, "created", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(12, "activated", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(13, "notAfter", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(14, "lastUse", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(15, "uses", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(16, "otp", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(17, "exportable", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(18, "notBefore", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(19, "useLimit", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private byte[] id;
  private String label;
  private String role;
  private String state;
  private String algorithm;
  private String usage;
  private String merchantIdentifier;
  private byte[] publicKey;
  private byte[] checkValue;
  private byte[] certificate;
  private long created;
  private long activated;
  private long notAfter;
  private long lastUse;
  private long uses;
  private OtpParameters otp;
  private boolean exportable;
  private long notBefore;
  private long useLimit;
  private Long auditSequence;

  /** One without any field. */
  KeyDescription() {}

  /**
   * 16 bytes.
   *
   * @return null if it is missing
   */
  public byte[] id() {
    return id;
  }

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String label() {
    return label;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String role() {
    return role;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String state() {
    return state;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String algorithm() {
    return algorithm;
  }

  /**
   * At most 16 bytes.
   *
   * @return null if it is missing
   */
  public String usage() {
    return usage;
  }

  /**
   * At most 255 bytes.
   *
   * @return null if it is missing
   */
  public String merchantIdentifier() {
    return merchantIdentifier;
  }

  /**
   * At most 1024 bytes; SubjectPublicKeyInfo; not in listings.
   *
   * @return null if it is missing
   */
  public byte[] publicKey() {
    return publicKey;
  }

  /**
   * At most 32 bytes; SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV.
   *
   * @return null if it is missing
   */
  public byte[] checkValue() {
    return checkValue;
  }

  /**
   * At most 8192 bytes; DER; not in listings.
   *
   * @return null if it is missing
   */
  public byte[] certificate() {
    return certificate;
  }

  /**
   * Seconds since 1970, as all times here.
   *
   * @return what it is
   */
  public long created() {
    return created;
  }

  /**
   * Zero for never.
   *
   * @return what it is
   */
  public long activated() {
    return activated;
  }

  /**
   * The not after.
   *
   * @return what it is
   */
  public long notAfter() {
    return notAfter;
  }

  /**
   * Zero for never.
   *
   * @return what it is
   */
  public long lastUse() {
    return lastUse;
  }

  /**
   * The uses.
   *
   * @return what it is
   */
  public long uses() {
    return uses;
  }

  /**
   * Of a key for one-time values.
   *
   * @return null if it is missing
   */
  public OtpParameters otp() {
    return otp;
  }

  /**
   * Whether it may leave under an exchange key.
   *
   * @return what it is
   */
  public boolean exportable() {
    return exportable;
  }

  /**
   * The not before.
   *
   * @return what it is
   */
  public long notBefore() {
    return notBefore;
  }

  /**
   * Zero for any number of uses.
   *
   * @return what it is
   */
  public long useLimit() {
    return useLimit;
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
    id = visitor.bytes(FIELDS[0], id);
    label = visitor.text(FIELDS[1], label);
    role = visitor.text(FIELDS[2], role);
    state = visitor.text(FIELDS[3], state);
    algorithm = visitor.text(FIELDS[4], algorithm);
    usage = visitor.text(FIELDS[5], usage);
    merchantIdentifier = visitor.text(FIELDS[6], merchantIdentifier);
    publicKey = visitor.bytes(FIELDS[7], publicKey);
    checkValue = visitor.bytes(FIELDS[8], checkValue);
    certificate = visitor.bytes(FIELDS[9], certificate);
    created = visitor.number(FIELDS[10], created);
    activated = visitor.number(FIELDS[11], activated);
    notAfter = visitor.number(FIELDS[12], notAfter);
    lastUse = visitor.number(FIELDS[13], lastUse);
    uses = visitor.number(FIELDS[14], uses);
    otp = visitor.nested(FIELDS[15], otp, OtpParameters::new);
    exportable = visitor.flag(FIELDS[16], exportable);
    notBefore = visitor.number(FIELDS[17], notBefore);
    useLimit = visitor.number(FIELDS[18], useLimit);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
