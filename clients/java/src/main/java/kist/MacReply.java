// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: MacReply. */
public final class MacReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "mac", "bytes", Field.Presence.ANY, 0, 64, 0),
  };

  private Secret mac;
  private Long auditSequence;

  /** One without any field. */
  MacReply() {}

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public Secret mac() {
    return mac;
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
    mac = visitor.secret(FIELDS[0], mac);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
