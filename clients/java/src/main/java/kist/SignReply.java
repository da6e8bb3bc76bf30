// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SignReply. */
public final class SignReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "signature", "bytes", Field.Presence.ANY, 0, 512, 0),
  };

  private byte[] signature;
  private Long auditSequence;

  /** One without any field. */
  SignReply() {}

  /**
   * At most 512 bytes.
   *
   * @return null if it is missing
   */
  public byte[] signature() {
    return signature;
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
    signature = visitor.bytes(FIELDS[0], signature);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
