// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: EnrolAuthenticatorReply. */
public final class EnrolAuthenticatorReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "secret", "bytes", Field.Presence.REQUIRED, 1, 64, 0),
    new Field(2, "number", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(3, "otp", "message", Field.Presence.ANY, 0, 256, 0),
  };

  private Secret secret;
  private long number;
  private OtpParameters otp;
  private Long auditSequence;

  /** One without any field. */
  EnrolAuthenticatorReply() {}

  /**
   * 20, 32 or 64 bytes, as long as the key's hash.
   *
   * @return null if it is missing
   */
  public Secret secret() {
    return secret;
  }

  /**
   * The subject's first authenticator is 1.
   *
   * @return what it is
   */
  public long number() {
    return number;
  }

  /**
   * How its codes are made.
   *
   * @return null if it is missing
   */
  public OtpParameters otp() {
    return otp;
  }

  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }

  @Override
  public void visit(Visitor visitor) {
    secret = visitor.secret(FIELDS[0], secret);
    number = visitor.number(FIELDS[1], number);
    otp = visitor.nested(FIELDS[2], otp, OtpParameters::new);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
