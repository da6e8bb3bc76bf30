// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** The body of a reply with status APPROVAL_NEEDED. */
final class ApprovalNeededBody implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "request", "string", Field.Presence.ANY, 0, 16, 0),
    new Field(2, "until", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private String request;
  private long until;

  /** One without any field. */
  ApprovalNeededBody() {}

  /**
   * At most 16 bytes; the request's short name, eight digits of hexadecimal.
   *
   * @return null if it is missing
   */
  String request() {
    return request;
  }

  /**
   * Seconds since 1970.
   *
   * @return what it is
   */
  long until() {
    return until;
  }

  @Override
  public void visit(Visitor visitor) {
    request = visitor.text(FIELDS[0], request);
    until = visitor.number(FIELDS[1], until);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
