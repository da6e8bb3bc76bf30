// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: WhoReply. */
public final class WhoReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "uid", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(2, "gid", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(3, "unit", "string", Field.Presence.ANY, 0, 256, 0),
    new Field(4, "rights", "message", Field.Presence.REPEATED, 0, 32768, 24),
    new Field(5, "more", "bool", Field.Presence.ANY, 0, 1, 0),
  };

  private long uid;
  private long gid;
  private String unit;
  private java.util.List<Right> rights = java.util.List.of();
  private boolean more;
  private Long auditSequence;

  /** One without any field. */
  WhoReply() {}

  /**
   * As the kernel says.
   *
   * @return what it is
   */
  public long uid() {
    return uid;
  }

  /**
   * As the kernel says.
   *
   * @return what it is
   */
  public long gid() {
    return gid;
  }

  /**
   * At most 256 bytes; absent where the daemon sees none.
   *
   * @return null if it is missing
   */
  public String unit() {
    return unit;
  }

  /**
   * What the caller may do on this socket.
   *
   * @return none of them if it is missing
   */
  public java.util.List<Right> rights() {
    return rights;
  }

  /**
   * Some of it did not fit.
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
    uid = visitor.number(FIELDS[0], uid);
    gid = visitor.number(FIELDS[1], gid);
    unit = visitor.text(FIELDS[2], unit);
    rights = visitor.list(FIELDS[3], rights, Right::new);
    more = visitor.flag(FIELDS[4], more);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
