// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SealRequest. */
public final class SealRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(3, "plaintext", "bytes", Field.Presence.ANY, 0, 65536, 0),
    new Field(4, "associatedData", "bytes", Field.Presence.ANY, 0, 4096, 0),
  };

  private byte[] handle;
  private byte[] plaintext;
  private byte[] associatedData;

  /** One without any field. */
  public SealRequest() {}

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
  public SealRequest handle(byte[] value) {
    this.handle = value;
    return this;
  }

  /**
   * At most 65536 bytes.
   *
   * @return null if it is missing
   */
  public byte[] plaintext() {
    return plaintext;
  }

  /**
   * At most 65536 bytes.
   *
   * @param value what it is
   * @return this
   */
  public SealRequest plaintext(byte[] value) {
    this.plaintext = value;
    return this;
  }

  /**
   * At most 4096 bytes.
   *
   * @return null if it is missing
   */
  public byte[] associatedData() {
    return associatedData;
  }

  /**
   * At most 4096 bytes.
   *
   * @param value what it is
   * @return this
   */
  public SealRequest associatedData(byte[] value) {
    this.associatedData = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
    plaintext = visitor.bytes(FIELDS[1], plaintext);
    associatedData = visitor.bytes(FIELDS[2], associatedData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
