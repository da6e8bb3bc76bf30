// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyPaymentTokenReply. */
public final class VerifyPaymentTokenReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "signingTime", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private long signingTime;
  private Long auditSequence;

  /** One without any field. */
  VerifyPaymentTokenReply() {}

  /**
   * Seconds since 1970, by the signature.
   *
   * @return what it is
   */
  public long signingTime() {
    return signingTime;
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
    signingTime = visitor.number(FIELDS[0], signingTime);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
