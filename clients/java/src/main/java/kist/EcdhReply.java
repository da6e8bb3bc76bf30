// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** One of the two. */
public final class EcdhReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "handle", "bytes", Field.Presence.ANY, 16, 16, 0),
    new Field(2, "sharedSecret", "bytes", Field.Presence.ANY, 0, 48, 0),
  };

  private byte[] handle;
  private Secret sharedSecret;
  private Long auditSequence;

  /** One without any field. */
  EcdhReply() {}

  /**
   * 16 bytes; of Z; absent where it is released.
   *
   * @return null if it is missing
   */
  public byte[] handle() {
    return handle;
  }

  /**
   * Z: 32 or 48 bytes.
   *
   * @return null if it is missing
   */
  public Secret sharedSecret() {
    return sharedSecret;
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
    sharedSecret = visitor.secret(FIELDS[1], sharedSecret);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
