// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ReleaseHandleRequest. */
public final class ReleaseHandleRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
  };

  private byte[] handle;

  /** One without any field. */
  public ReleaseHandleRequest() {}

  /**
   * 16 bytes; what is no longer needed.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
  }

  /**
   * 16 bytes; what is no longer needed.
   *
   * @param value what it is
   * @return this
   */
  public ReleaseHandleRequest handle(byte[] value) {
    this.handle = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    handle = visitor.bytes(FIELDS[0], handle);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
