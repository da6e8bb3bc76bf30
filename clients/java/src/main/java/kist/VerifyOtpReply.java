// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyOtpReply. */
public final class VerifyOtpReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "counter", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private long counter;
  private Long auditSequence;

  /** One without any field. */
  VerifyOtpReply() {}

  /**
   * That the code was right for, or the time step.
   *
   * @return what it is
   */
  public long counter() {
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
    counter = visitor.number(FIELDS[0], counter);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
