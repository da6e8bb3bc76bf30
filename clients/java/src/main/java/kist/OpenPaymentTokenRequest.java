// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: OpenPaymentTokenRequest. */
public final class OpenPaymentTokenRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "token", "message", Field.Presence.REQUIRED, 0, 84224, 0),
    new Field(2, "release", "set", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "expectedCurrency", "string", Field.Presence.ANY, 0, 3, 0),
    new Field(4, "expectedAmount", "uint64", Field.Presence.OPTIONAL, 0, Long.MAX_VALUE, 0),
    new Field(5, "expectedApplicationData", "bytes", Field.Presence.ANY, 32, 32, 0),
    new Field(6, "required", "set", Field.Presence.ANY, 0, 64, 0),
    new Field(7, "retryKey", "bytes", Field.Presence.ANY, 16, 16, 0),
  };

  private PaymentToken token;
  private java.util.List<ReleasedField> release = java.util.List.of();
  private String expectedCurrency;
  private Long expectedAmount;
  private byte[] expectedApplicationData;
  private java.util.List<ReleasedField> required = java.util.List.of();
  private byte[] retryKey;

  /** One without any field. */
  public OpenPaymentTokenRequest() {}

  /**
   * Decoded from Apple's JSON.
   *
   * @return null if it is missing
   */
  public PaymentToken token() {
    return token;
  }

  /**
   * Decoded from Apple's JSON.
   *
   * @param value what it is
   * @return this
   */
  public OpenPaymentTokenRequest token(PaymentToken value) {
    this.token = value;
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
  public OpenPaymentTokenRequest release(java.util.List<ReleasedField> value) {
    this.release = java.util.List.copyOf(value);
    return this;
  }

  /**
   * At most 3 bytes; ISO 4217 numeric.
   *
   * @return null if it is missing
   */
  public String expectedCurrency() {
    return expectedCurrency;
  }

  /**
   * At most 3 bytes; ISO 4217 numeric.
   *
   * @param value what it is
   * @return this
   */
  public OpenPaymentTokenRequest expectedCurrency(String value) {
    this.expectedCurrency = value;
    return this;
  }

  /**
   * Minor units.
   *
   * @return null if it is missing
   */
  public Long expectedAmount() {
    return expectedAmount;
  }

  /**
   * Minor units.
   *
   * @param value what it is
   * @return this
   */
  public OpenPaymentTokenRequest expectedAmount(long value) {
    Numbers.check("expectedAmount", value);
    this.expectedAmount = value;
    return this;
  }

  /**
   * 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] expectedApplicationData() {
    return expectedApplicationData;
  }

  /**
   * 32 bytes.
   *
   * @param value what it is
   * @return this
   */
  public OpenPaymentTokenRequest expectedApplicationData(byte[] value) {
    this.expectedApplicationData = value;
    return this;
  }

  /**
   * Strictly ascending; without any of these the token is not to be opened.
   *
   * @return none of them if it is missing
   */
  public java.util.List<ReleasedField> required() {
    return required;
  }

  /**
   * Strictly ascending; without any of these the token is not to be opened.
   *
   * @param value what it is
   * @return this
   */
  public OpenPaymentTokenRequest required(java.util.List<ReleasedField> value) {
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
  public OpenPaymentTokenRequest retryKey(byte[] value) {
    this.retryKey = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    token = visitor.nested(FIELDS[0], token, PaymentToken::new);
    release = visitor.set(FIELDS[1], release, ReleasedField.values());
    expectedCurrency = visitor.text(FIELDS[2], expectedCurrency);
    expectedAmount = visitor.optional(FIELDS[3], expectedAmount);
    expectedApplicationData = visitor.bytes(FIELDS[4], expectedApplicationData);
    required = visitor.set(FIELDS[5], required, ReleasedField.values());
    retryKey = visitor.bytes(FIELDS[6], retryKey);
  }

  @Override
  public int atFault() {
    if (release.contains(ReleasedField.JWE)) return 2;
    if (required.contains(ReleasedField.JWE)) return 6;
    return 0;
  }
}
