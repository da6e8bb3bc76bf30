// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: UnsealRequest. */
public final class UnsealRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(2, "iv", "bytes", Field.Presence.ANY, 0, 16, 0, 12, 16),
    new Field(3, "sealed", "bytes", Field.Presence.ANY, 0, 65581, 0),
    new Field(4, "associatedData", "bytes", Field.Presence.ANY, 0, 4096, 0),
  };

  private byte[] handle;
  private byte[] iv;
  private byte[] sealed;
  private byte[] associatedData;

  /** One without any field. */
  public UnsealRequest() {}

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
  public UnsealRequest handle(byte[] value) {
    this.handle = value;
    return this;
  }

  /**
   * 12 or 16 bytes; absent for an envelope.
   *
   * @return null if it is missing
   */
  public byte[] iv() {
    return iv;
  }

  /**
   * 12 or 16 bytes; absent for an envelope.
   *
   * @param value what it is
   * @return this
   */
  public UnsealRequest iv(byte[] value) {
    this.iv = value;
    return this;
  }

  /**
   * At most 65581 bytes; an envelope; ciphertext and tag where there is an IV.
   *
   * @return null if it is missing
   */
  public byte[] sealed() {
    return sealed;
  }

  /**
   * At most 65581 bytes; an envelope; ciphertext and tag where there is an IV.
   *
   * @param value what it is
   * @return this
   */
  public UnsealRequest sealed(byte[] value) {
    this.sealed = value;
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
  public UnsealRequest associatedData(byte[] value) {
    this.associatedData = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
    iv = visitor.bytes(FIELDS[1], iv);
    sealed = visitor.bytes(FIELDS[2], sealed);
    associatedData = visitor.bytes(FIELDS[3], associatedData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
