// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ProvisionTraceRequest. */
public final class ProvisionTraceRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "recipient", "bytes", Field.Presence.REQUIRED, 65, 65, 0),
    new Field(2, "ephemeralPrivateKey", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(3, "passData", "bytes", Field.Presence.ANY, 0, 4096, 0),
  };

  private byte[] recipient;
  private byte[] ephemeralPrivateKey;
  private byte[] passData;

  /** One without any field. */
  public ProvisionTraceRequest() {}

  /**
   * 65 bytes; the public key, as an uncompressed point.
   *
   * @return null if it is missing
   */
  public byte[] recipient() {
    return recipient;
  }

  /**
   * 65 bytes; the public key, as an uncompressed point.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionTraceRequest recipient(byte[] value) {
    this.recipient = value;
    return this;
  }

  /**
   * 32 bytes; the scalar.
   *
   * @return null if it is missing
   */
  public byte[] ephemeralPrivateKey() {
    return ephemeralPrivateKey;
  }

  /**
   * 32 bytes; the scalar.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionTraceRequest ephemeralPrivateKey(byte[] value) {
    this.ephemeralPrivateKey = value;
    return this;
  }

  /**
   * At most 4096 bytes; what is sealed.
   *
   * @return null if it is missing
   */
  public byte[] passData() {
    return passData;
  }

  /**
   * At most 4096 bytes; what is sealed.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionTraceRequest passData(byte[] value) {
    this.passData = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    recipient = visitor.bytes(FIELDS[0], recipient);
    ephemeralPrivateKey = visitor.bytes(FIELDS[1], ephemeralPrivateKey);
    passData = visitor.bytes(FIELDS[2], passData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
