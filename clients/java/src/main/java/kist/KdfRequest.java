// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: KdfRequest. */
public final class KdfRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
    new Field(2, "derivation", "enum", Field.Presence.REQUIRED, 1, 9, 0),
    new Field(3, "count", "uint32", Field.Presence.REQUIRED, 16, 256, 0),
    new Field(4, "info", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(5, "otherInfo", "message", Field.Presence.ANY, 0, 5135, 0),
    new Field(6, "salt", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(7, "release", "bool", Field.Presence.ANY, 0, 1, 0),
  };

  private byte[] handle;
  private Derivation derivation;
  private long count;
  private byte[] info;
  private OtherInfo otherInfo;
  private byte[] salt;
  private boolean release;

  /** One without any field. */
  public KdfRequest() {}

  /**
   * 16 bytes; of a shared secret.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
  }

  /**
   * 16 bytes; of a shared secret.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest handle(byte[] value) {
    this.handle = value;
    return this;
  }

  /**
   * Which function.
   *
   * @return null if it is missing
   */
  public Derivation derivation() {
    return derivation;
  }

  /**
   * Which function.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest derivation(Derivation value) {
    this.derivation = value;
    return this;
  }

  /**
   * 16 to 256 bytes.
   *
   * @return what it is
   */
  public long count() {
    return count;
  }

  /**
   * 16 to 256 bytes.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest count(long value) {
    Numbers.check("count", value);
    this.count = value;
    return this;
  }

  /**
   * At most 1024 bytes; OtherInfo, SharedInfo or info as one.
   *
   * @return null if it is missing
   */
  public byte[] info() {
    return info;
  }

  /**
   * At most 1024 bytes; OtherInfo, SharedInfo or info as one.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest info(byte[] value) {
    this.info = value;
    return this;
  }

  /**
   * Or in parts.
   *
   * @return null if it is missing
   */
  public OtherInfo otherInfo() {
    return otherInfo;
  }

  /**
   * Or in parts.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest otherInfo(OtherInfo value) {
    this.otherInfo = value;
    return this;
  }

  /**
   * At most 1024 bytes; HKDF.
   *
   * @return null if it is missing
   */
  public byte[] salt() {
    return salt;
  }

  /**
   * At most 1024 bytes; HKDF.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest salt(byte[] value) {
    this.salt = value;
    return this;
  }

  /**
   * The release.
   *
   * @return what it is
   */
  public boolean release() {
    return release;
  }

  /**
   * The release.
   *
   * @param value what it is
   * @return this
   */
  public KdfRequest release(boolean value) {
    this.release = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
    derivation = visitor.enumeration(FIELDS[1], derivation, Derivation.values());
    count = visitor.number(FIELDS[2], count);
    info = visitor.bytes(FIELDS[3], info);
    otherInfo = visitor.nested(FIELDS[4], otherInfo, OtherInfo::new);
    salt = visitor.bytes(FIELDS[5], salt);
    release = visitor.flag(FIELDS[6], release);
  }

  @Override
  public int atFault() {
    if ((Message.isPresent(info)) && (Message.isPresent(otherInfo))) return 5;
    return 0;
  }
}
