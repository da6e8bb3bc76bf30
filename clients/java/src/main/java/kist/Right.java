// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** What one grant gives the caller; whom else it covers is left out. */
public final class Right implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "grant", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(2, "operations", "string", Field.Presence.REPEATED, 0, 64, 64),
    new Field(3, "keys", "string", Field.Presence.REPEATED, 0, 128, 128),
    new Field(4, "released", "string", Field.Presence.REPEATED, 0, 64, 64),
    new Field(5, "stages", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(6, "rate", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(7, "quota", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(8, "keyQuota", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(9, "until", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(10, "hours", "string", Field.Presence.REPEATED, 0, 32, 16),
  };

  private String grant;
  private java.util.List<String> operations = java.util.List.of();
  private java.util.List<String> keys = java.util.List.of();
  private java.util.List<String> released = java.util.List.of();
  private boolean stages;
  private String rate;
  private String quota;
  private String keyQuota;
  private long until;
  private java.util.List<String> hours = java.util.List.of();

  /** One without any field. */
  Right() {}

  /**
   * At most 64 bytes; its id in the policy.
   *
   * @return null if it is missing
   */
  public String grant() {
    return grant;
  }

  /**
   * At most 64 bytes; names.
   *
   * @return none of them if it is missing
   */
  public java.util.List<String> operations() {
    return operations;
  }

  /**
   * At most 128 bytes; labels, and prefixes that end in *.
   *
   * @return none of them if it is missing
   */
  public java.util.List<String> keys() {
    return keys;
  }

  /**
   * At most 64 bytes.
   *
   * @return none of them if it is missing
   */
  public java.util.List<String> released() {
    return released;
  }

  /**
   * Whether rejections name theirs.
   *
   * @return what it is
   */
  public boolean stages() {
    return stages;
  }

  /**
   * At most 32 bytes; such as 200/s.
   *
   * @return null if it is missing
   */
  public String rate() {
    return rate;
  }

  /**
   * At most 32 bytes; such as 5000/d.
   *
   * @return null if it is missing
   */
  public String quota() {
    return quota;
  }

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String keyQuota() {
    return keyQuota;
  }

  /**
   * The first second at which it is not in force; zero for no end.
   *
   * @return what it is
   */
  public long until() {
    return until;
  }

  /**
   * At most 32 bytes; such as mon-fri 08:00-18:00, UTC.
   *
   * @return none of them if it is missing
   */
  public java.util.List<String> hours() {
    return hours;
  }

  @Override
  public void visit(Visitor visitor) {
    grant = visitor.text(FIELDS[0], grant);
    operations = visitor.texts(FIELDS[1], operations);
    keys = visitor.texts(FIELDS[2], keys);
    released = visitor.texts(FIELDS[3], released);
    stages = visitor.flag(FIELDS[4], stages);
    rate = visitor.text(FIELDS[5], rate);
    quota = visitor.text(FIELDS[6], quota);
    keyQuota = visitor.text(FIELDS[7], keyQuota);
    until = visitor.number(FIELDS[8], until);
    hours = visitor.texts(FIELDS[9], hours);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
