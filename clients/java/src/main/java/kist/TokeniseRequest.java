// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** Either for a surrogate, without the last two fields, or for an envelope. */
public final class TokeniseRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "pan", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(2, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
    new Field(3, "transactionId", "bytes", Field.Presence.ANY, 32, 32, 0),
    new Field(4, "lifetime", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
  };

  private String pan;
  private String merchantIdentifier;
  private byte[] transactionId;
  private long lifetime;

  /** One without any field. */
  public TokeniseRequest() {}

  /**
   * At most 32 bytes; digits.
   *
   * @return null if it is missing
   */
  public String pan() {
    return pan;
  }

  /**
   * At most 32 bytes; digits.
   *
   * @param value what it is
   * @return this
   */
  public TokeniseRequest pan(String value) {
    this.pan = value;
    return this;
  }

  /**
   * At most 255 bytes.
   *
   * @return null if it is missing
   */
  public String merchantIdentifier() {
    return merchantIdentifier;
  }

  /**
   * At most 255 bytes.
   *
   * @param value what it is
   * @return this
   */
  public TokeniseRequest merchantIdentifier(String value) {
    this.merchantIdentifier = value;
    return this;
  }

  /**
   * 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] transactionId() {
    return transactionId;
  }

  /**
   * 32 bytes.
   *
   * @param value what it is
   * @return this
   */
  public TokeniseRequest transactionId(byte[] value) {
    this.transactionId = value;
    return this;
  }

  /**
   * Seconds.
   *
   * @return what it is
   */
  public long lifetime() {
    return lifetime;
  }

  /**
   * Seconds.
   *
   * @param value what it is
   * @return this
   */
  public TokeniseRequest lifetime(long value) {
    Numbers.check("lifetime", value);
    this.lifetime = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    pan = visitor.text(FIELDS[0], pan);
    merchantIdentifier = visitor.text(FIELDS[1], merchantIdentifier);
    transactionId = visitor.bytes(FIELDS[2], transactionId);
    lifetime = visitor.number(FIELDS[3], lifetime);
  }

  @Override
  public int atFault() {
    if ((Message.isPresent(transactionId)) != (lifetime != 0)) return 4;
    return 0;
  }
}
