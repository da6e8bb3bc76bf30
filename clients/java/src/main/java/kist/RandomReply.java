// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: RandomReply. */
public final class RandomReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "random", "bytes", Field.Presence.ANY, 0, 1024, 0),
  };

  private Secret random;
  private Long auditSequence;

  /** One without any field. */
  RandomReply() {}

  /**
   * At most 1024 bytes.
   *
   * @return null if it is missing
   */
  public Secret random() {
    return random;
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
    random = visitor.secret(FIELDS[0], random);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
