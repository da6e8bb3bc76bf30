// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: DetokeniseReply. */
public final class DetokeniseReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "pan", "string", Field.Presence.REQUIRED, 1, 32, 0),
  };

  private Secret pan;
  private Long auditSequence;

  /** One without any field. */
  DetokeniseReply() {}

  /**
   * At most 32 bytes; digits.
   *
   * @return null if it is missing
   */
  public Secret pan() {
    return pan;
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
    pan = visitor.secretText(FIELDS[0], pan);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
