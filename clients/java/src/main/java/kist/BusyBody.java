// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** Body of a `busy` reply to a request that asks for it. */
final class BusyBody implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "retryAfter", "uint32", Field.Presence.REQUIRED, 1, 1209600000, 0),
  };

  private long retryAfter;

  /** One without any field. */
  BusyBody() {}

  /**
   * Milliseconds.
   *
   * @return what it is
   */
  long retryAfter() {
    return retryAfter;
  }

  @Override
  public void visit(Visitor visitor) {
    retryAfter = visitor.number(FIELDS[0], retryAfter);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
