// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: UnwrapRequest. */
public final class UnwrapRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "wrappedKey", "bytes", Field.Presence.ANY, 0, 512, 0),
  };

  private byte[] wrappedKey;

  /** One without any field. */
  public UnwrapRequest() {}

  /**
   * At most 512 bytes; as long as the modulus.
   *
   * @return null if it is missing
   */
  public byte[] wrappedKey() {
    return wrappedKey;
  }

  /**
   * At most 512 bytes; as long as the modulus.
   *
   * @param value what it is
   * @return this
   */
  public UnwrapRequest wrappedKey(byte[] value) {
    this.wrappedKey = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    wrappedKey = visitor.bytes(FIELDS[0], wrappedKey);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
