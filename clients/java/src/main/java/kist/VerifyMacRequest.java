// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyMacRequest. */
public final class VerifyMacRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(2, "algorithm", "enum", Field.Presence.ANY, 1, 4, 0),
    new Field(3, "length", "uint32", Field.Presence.ANY, 0, 64, 0),
    new Field(4, "message", "bytes", Field.Presence.ANY, 0, 65536, 0),
    new Field(5, "mac", "bytes", Field.Presence.ANY, 0, 64, 0),
  };

  private byte[] handle;
  private MacAlgorithm algorithm;
  private long length;
  private byte[] message;
  private byte[] mac;

  /** One without any field. */
  public VerifyMacRequest() {}

  /**
   * 16 bytes, or absent for the stored key.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
  }

  /**
   * 16 bytes, or absent for the stored key.
   *
   * @param value what it is
   * @return this
   */
  public VerifyMacRequest handle(byte[] value) {
    this.handle = value;
    return this;
  }

  /**
   * With a handle, and only then.
   *
   * @return null if it is missing
   */
  public MacAlgorithm algorithm() {
    return algorithm;
  }

  /**
   * With a handle, and only then.
   *
   * @param value what it is
   * @return this
   */
  public VerifyMacRequest algorithm(MacAlgorithm value) {
    this.algorithm = value;
    return this;
  }

  /**
   * That the code must have; absent for all of it.
   *
   * @return what it is
   */
  public long length() {
    return length;
  }

  /**
   * That the code must have; absent for all of it.
   *
   * @param value what it is
   * @return this
   */
  public VerifyMacRequest length(long value) {
    Numbers.check("length", value);
    this.length = value;
    return this;
  }

  /**
   * At most 65536 bytes.
   *
   * @return null if it is missing
   */
  public byte[] message() {
    return message;
  }

  /**
   * At most 65536 bytes.
   *
   * @param value what it is
   * @return this
   */
  public VerifyMacRequest message(byte[] value) {
    this.message = value;
    return this;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public byte[] mac() {
    return mac;
  }

  /**
   * At most 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public VerifyMacRequest mac(byte[] value) {
    this.mac = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
    algorithm = visitor.enumeration(FIELDS[1], algorithm, MacAlgorithm.values());
    length = visitor.number(FIELDS[2], length);
    message = visitor.bytes(FIELDS[3], message);
    mac = visitor.bytes(FIELDS[4], mac);
  }

  @Override
  public int atFault() {
    if ((Message.isPresent(handle)) != (algorithm != null)) return 2;
    return 0;
  }
}
