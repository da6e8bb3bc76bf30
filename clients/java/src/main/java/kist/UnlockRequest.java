// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: UnlockRequest. */
public final class UnlockRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "passphrase", "bytes", Field.Presence.REQUIRED, 1, 1024, 0),
  };

  private byte[] passphrase;

  /** One without any field. */
  public UnlockRequest() {}

  /**
   * 1 to 1024 bytes.
   *
   * @return null if it is missing
   */
  public byte[] passphrase() {
    return passphrase;
  }

  /**
   * 1 to 1024 bytes.
   *
   * @param value what it is
   * @return this
   */
  public UnlockRequest passphrase(byte[] value) {
    this.passphrase = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    passphrase = visitor.bytes(FIELDS[0], passphrase);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
