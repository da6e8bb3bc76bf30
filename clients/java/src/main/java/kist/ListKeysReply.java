// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ListKeysReply. */
public final class ListKeysReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "keys", "message", Field.Presence.REPEATED, 0, 16384, 64),
    new Field(2, "more", "bool", Field.Presence.ANY, 0, 1, 0),
  };

  private java.util.List<KeyDescription> keys = java.util.List.of();
  private boolean more;
  private Long auditSequence;

  /** One without any field. */
  ListKeysReply() {}

  /**
   * The keys.
   *
   * @return none of them if it is missing
   */
  public java.util.List<KeyDescription> keys() {
    return keys;
  }

  /**
   * The more.
   *
   * @return what it is
   */
  public boolean more() {
    return more;
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
    keys = visitor.list(FIELDS[0], keys, KeyDescription::new);
    more = visitor.flag(FIELDS[1], more);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
