// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: EnrolAuthenticatorRequest. */
public final class EnrolAuthenticatorRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "subject", "string", Field.Presence.REQUIRED, 1, 128, 0),
    new Field(2, "retryKey", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
  };

  private String subject;
  private byte[] retryKey;

  /** One without any field. */
  public EnrolAuthenticatorRequest() {}

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String subject() {
    return subject;
  }

  /**
   * At most 128 bytes.
   *
   * @param value what it is
   * @return this
   */
  public EnrolAuthenticatorRequest subject(String value) {
    this.subject = value;
    return this;
  }

  /**
   * 16 bytes; random, for this enrolment alone.
   *
   * @return null if it is missing
   */
  public byte[] retryKey() {
    return retryKey;
  }

  /**
   * 16 bytes; random, for this enrolment alone.
   *
   * @param value what it is
   * @return this
   */
  public EnrolAuthenticatorRequest retryKey(byte[] value) {
    this.retryKey = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    subject = visitor.text(FIELDS[0], subject);
    retryKey = visitor.bytes(FIELDS[1], retryKey);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
