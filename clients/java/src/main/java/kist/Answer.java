package kist;

/** The answer of an operation that gives nothing else. */
public final class Answer implements Message, Answered {
  private Long auditSequence;

  Answer() {}

  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }

  @Override
  public void visit(Visitor visitor) {}

  @Override
  public int atFault() {
    return 0;
  }
}
