// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SignOtpReply. */
public final class SignOtpReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "otp", "string", Field.Presence.ANY, 0, 2048, 0),
    new Field(2, "counter", "uint64", Field.Presence.OPTIONAL, 0, Long.MAX_VALUE, 0),
  };

  private Secret otp;
  private Long counter;
  private Long auditSequence;

  /** One without any field. */
  SignOtpReply() {}

  /**
   * At most 2048 bytes; the value or code.
   *
   * @return null if it is missing
   */
  public Secret otp() {
    return otp;
  }

  /**
   * Of a code: its counter or time step.
   *
   * @return null if it is missing
   */
  public Long counter() {
    return counter;
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
    otp = visitor.secretText(FIELDS[0], otp);
    counter = visitor.optional(FIELDS[1], counter);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
