// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: MacRequest. */
public final class MacRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(2, "algorithm", "enum", Field.Presence.ANY, 1, 4, 0),
    new Field(3, "length", "uint32", Field.Presence.ANY, 0, 64, 0),
    new Field(4, "message", "bytes", Field.Presence.ANY, 0, 65536, 0),
  };

  private byte[] handle;
  private MacAlgorithm algorithm;
  private long length;
  private byte[] message;

  /** One without any field. */
  public MacRequest() {}

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
  public MacRequest handle(byte[] value) {
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
  public MacRequest algorithm(MacAlgorithm value) {
    this.algorithm = value;
    return this;
  }

  /**
   * Of the code; absent for all of it.
   *
   * @return what it is
   */
  public long length() {
    return length;
  }

  /**
   * Of the code; absent for all of it.
   *
   * @param value what it is
   * @return this
   */
  public MacRequest length(long value) {
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
  public MacRequest message(byte[] value) {
    this.message = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
    algorithm = visitor.enumeration(FIELDS[1], algorithm, MacAlgorithm.values());
    length = visitor.number(FIELDS[2], length);
    message = visitor.bytes(FIELDS[3], message);
  }

  @Override
  public int atFault() {
    if ((Message.isPresent(handle)) != (algorithm != null)) return 2;
    return 0;
  }
}
