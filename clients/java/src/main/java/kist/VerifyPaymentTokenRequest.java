// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyPaymentTokenRequest. */
public final class VerifyPaymentTokenRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "token", "message", Field.Presence.REQUIRED, 0, 84224, 0),
    new Field(2, "expectedApplicationData", "bytes", Field.Presence.ANY, 32, 32, 0),
  };

  private PaymentToken token;
  private byte[] expectedApplicationData;

  /** One without any field. */
  public VerifyPaymentTokenRequest() {}

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
  public VerifyPaymentTokenRequest token(PaymentToken value) {
    this.token = value;
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
  public VerifyPaymentTokenRequest expectedApplicationData(byte[] value) {
    this.expectedApplicationData = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    token = visitor.nested(FIELDS[0], token, PaymentToken::new);
    expectedApplicationData = visitor.bytes(FIELDS[1], expectedApplicationData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
