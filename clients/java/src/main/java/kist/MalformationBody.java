// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** Body of a `malformed` reply where the request's body is at fault. */
final class MalformationBody implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "why", "string", Field.Presence.REQUIRED, 1, 160, 0),
  };

  private String why;

  /** One without any field. */
  MalformationBody() {}

  /**
   * At most 160 bytes; a sentence that names the field and the bound.
   *
   * @return null if it is missing
   */
  String why() {
    return why;
  }

  @Override
  public void visit(Visitor visitor) {
    why = visitor.text(FIELDS[0], why);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
