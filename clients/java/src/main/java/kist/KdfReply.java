// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** One of the two. */
public final class KdfReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(2, "derivedKey", "bytes", Field.Presence.ANY, 0, 256, 0),
  };

  private byte[] handle;
  private Secret derivedKey;
  private Long auditSequence;

  /** One without any field. */
  KdfReply() {}

  /**
   * 16 bytes; of the derived key; absent where it is released.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
  }

  /**
   * At most 256 bytes; only where it is released.
   *
   * @return null if it is missing
   */
  public Secret derivedKey() {
    return derivedKey;
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
    derivedKey = visitor.secret(FIELDS[1], derivedKey);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
