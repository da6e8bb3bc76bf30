// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyOtpRequest. */
public final class VerifyOtpRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "subject", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(2, "code", "string", Field.Presence.ANY, 0, 8, 0),
  };

  private String subject;
  private String code;

  /** One without any field. */
  public VerifyOtpRequest() {}

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
  public VerifyOtpRequest subject(String value) {
    this.subject = value;
    return this;
  }

  /**
   * At most 8 bytes; 6 to 8 digits.
   *
   * @return null if it is missing
   */
  public String code() {
    return code;
  }

  /**
   * At most 8 bytes; 6 to 8 digits.
   *
   * @param value what it is
   * @return this
   */
  public VerifyOtpRequest code(String value) {
    this.code = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    subject = visitor.text(FIELDS[0], subject);
    code = visitor.text(FIELDS[1], code);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
