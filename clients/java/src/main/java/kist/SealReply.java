// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SealReply. */
public final class SealReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "sealed", "bytes", Field.Presence.ANY, 0, 65581, 0),
  };

  private byte[] sealed;
  private Long auditSequence;

  /** One without any field. */
  SealReply() {}

  /**
   * At most 65581 bytes; an envelope.
   *
   * @return null if it is missing
   */
  public byte[] sealed() {
    return sealed;
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
    sealed = visitor.bytes(FIELDS[0], sealed);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
