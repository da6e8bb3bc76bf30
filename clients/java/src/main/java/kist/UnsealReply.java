// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: UnsealReply. */
public final class UnsealReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "plaintext", "bytes", Field.Presence.ANY, 0, 65581, 0),
  };

  private Secret plaintext;
  private Long auditSequence;

  /** One without any field. */
  UnsealReply() {}

  /**
   * At most 65581 bytes.
   *
   * @return null if it is missing
   */
  public Secret plaintext() {
    return plaintext;
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
    plaintext = visitor.secret(FIELDS[0], plaintext);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
