// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** The parts of OtherInfo, put behind one another as they are. */
public final class OtherInfo implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "algorithmId", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(2, "partyUInfo", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(3, "partyVInfo", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(4, "suppPubInfo", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(5, "suppPrivInfo", "bytes", Field.Presence.ANY, 0, 1024, 0),
  };

  private byte[] algorithmId;
  private byte[] partyUInfo;
  private byte[] partyVInfo;
  private byte[] suppPubInfo;
  private byte[] suppPrivInfo;

  /** One without any field. */
  public OtherInfo() {}

  /**
   * At most 1024 bytes; SP 800-56A r3 §5.8.2.1.1.
   *
   * @return null if it is missing
   */
  public byte[] algorithmId() {
    return algorithmId;
  }

  /**
   * At most 1024 bytes; SP 800-56A r3 §5.8.2.1.1.
   *
   * @param value what it is
   * @return this
   */
  public OtherInfo algorithmId(byte[] value) {
    this.algorithmId = value;
    return this;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @return null if it is missing
   */
  public byte[] partyUInfo() {
    return partyUInfo;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @param value what it is
   * @return this
   */
  public OtherInfo partyUInfo(byte[] value) {
    this.partyUInfo = value;
    return this;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @return null if it is missing
   */
  public byte[] partyVInfo() {
    return partyVInfo;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @param value what it is
   * @return this
   */
  public OtherInfo partyVInfo(byte[] value) {
    this.partyVInfo = value;
    return this;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @return null if it is missing
   */
  public byte[] suppPubInfo() {
    return suppPubInfo;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @param value what it is
   * @return this
   */
  public OtherInfo suppPubInfo(byte[] value) {
    this.suppPubInfo = value;
    return this;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @return null if it is missing
   */
  public byte[] suppPrivInfo() {
    return suppPrivInfo;
  }

  /**
   * At most 1024 bytes; the same.
   *
   * @param value what it is
   * @return this
   */
  public OtherInfo suppPrivInfo(byte[] value) {
    this.suppPrivInfo = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    algorithmId = visitor.bytes(FIELDS[0], algorithmId);
    partyUInfo = visitor.bytes(FIELDS[1], partyUInfo);
    partyVInfo = visitor.bytes(FIELDS[2], partyVInfo);
    suppPubInfo = visitor.bytes(FIELDS[3], suppPubInfo);
    suppPrivInfo = visitor.bytes(FIELDS[4], suppPrivInfo);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
