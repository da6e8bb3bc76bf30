// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: AuditDigestReply. */
public final class AuditDigestReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "digest", "string", Field.Presence.REQUIRED, 1, 76, 0),
  };

  private String digest;
  private Long auditSequence;

  /** One without any field. */
  AuditDigestReply() {}

  /**
   * At most 76 bytes; hmac-sha256: and 64 digits.
   *
   * @return null if it is missing
   */
  public String digest() {
    return digest;
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
    digest = visitor.text(FIELDS[0], digest);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
