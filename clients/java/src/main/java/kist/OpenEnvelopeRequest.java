// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** The reply is an OpenPaymentTokenReply, and so is what the envelope holds. */
public final class OpenEnvelopeRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "envelope", "bytes", Field.Presence.REQUIRED, 1, 66048, 0),
    new Field(2, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
    new Field(3, "transactionId", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(4, "release", "set", Field.Presence.ANY, 0, 64, 0),
    new Field(5, "required", "set", Field.Presence.ANY, 0, 64, 0),
    new Field(6, "retryKey", "bytes", Field.Presence.ANY, 16, 16, 0),
  };

  private byte[] envelope;
  private String merchantIdentifier;
  private byte[] transactionId;
  private java.util.List<ReleasedField> release = java.util.List.of();
  private java.util.List<ReleasedField> required = java.util.List.of();
  private byte[] retryKey;

  /** One without any field. */
  public OpenEnvelopeRequest() {}

  /**
   * At most 66048 bytes.
   *
   * @return null if it is missing
   */
  public byte[] envelope() {
    return envelope;
  }

  /**
   * At most 66048 bytes.
   *
   * @param value what it is
   * @return this
   */
  public OpenEnvelopeRequest envelope(byte[] value) {
    this.envelope = value;
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
  public OpenEnvelopeRequest merchantIdentifier(String value) {
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
  public OpenEnvelopeRequest transactionId(byte[] value) {
    this.transactionId = value;
    return this;
  }

  /**
   * Strictly ascending; absent asks for all that is granted.
   *
   * @return none of them if it is missing
   */
  public java.util.List<ReleasedField> release() {
    return release;
  }

  /**
   * Strictly ascending; absent asks for all that is granted.
   *
   * @param value what it is
   * @return this
   */
  public OpenEnvelopeRequest release(java.util.List<ReleasedField> value) {
    this.release = java.util.List.copyOf(value);
    return this;
  }

  /**
   * Strictly ascending; without any of these the envelope is not to be opened.
   *
   * @return none of them if it is missing
   */
  public java.util.List<ReleasedField> required() {
    return required;
  }

  /**
   * Strictly ascending; without any of these the envelope is not to be opened.
   *
   * @param value what it is
   * @return this
   */
  public OpenEnvelopeRequest required(java.util.List<ReleasedField> value) {
    this.required = java.util.List.copyOf(value);
    return this;
  }

  /**
   * 16 random bytes; the same request with it opens again after a lost reply.
   *
   * @return null if it is missing
   */
  public byte[] retryKey() {
    return retryKey;
  }

  /**
   * 16 random bytes; the same request with it opens again after a lost reply.
   *
   * @param value what it is
   * @return this
   */
  public OpenEnvelopeRequest retryKey(byte[] value) {
    this.retryKey = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    envelope = visitor.bytes(FIELDS[0], envelope);
    merchantIdentifier = visitor.text(FIELDS[1], merchantIdentifier);
    transactionId = visitor.bytes(FIELDS[2], transactionId);
    release = visitor.set(FIELDS[3], release, ReleasedField.values());
    required = visitor.set(FIELDS[4], required, ReleasedField.values());
    retryKey = visitor.bytes(FIELDS[5], retryKey);
  }

  @Override
  public int atFault() {
    if (release.contains(ReleasedField.JWE)) return 4;
    if (required.contains(ReleasedField.JWE)) return 5;
    return 0;
  }
}
