// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: UnwrapReply. */
public final class UnwrapReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
  };

  private byte[] handle;
  private Long auditSequence;

  /** One without any field. */
  UnwrapReply() {}

  /**
   * 16 bytes; of the key that was wrapped.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
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
    handle = visitor.bytes(FIELDS[0], handle);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
