// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** One of the two. */
public final class TokeniseReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "surrogate", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(3, "envelope", "bytes", Field.Presence.ANY, 0, 66048, 0),
  };

  private String surrogate;
  private byte[] envelope;
  private Long auditSequence;

  /** One without any field. */
  TokeniseReply() {}

  /**
   * At most 32 bytes; digits.
   *
   * @return null if it is missing
   */
  public String surrogate() {
    return surrogate;
  }

  /**
   * At most 66048 bytes.
   *
   * @return null if it is missing
   */
  public byte[] envelope() {
    return envelope;
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
    surrogate = visitor.text(FIELDS[0], surrogate);
    envelope = visitor.bytes(FIELDS[1], envelope);
  }

  @Override
  public int atFault() {
    if ((Message.isPresent(surrogate)) == (Message.isPresent(envelope))) return 3;
    return 0;
  }
}
