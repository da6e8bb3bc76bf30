// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** An operation that the daemon knows. */
public final class OperationDescription implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "opcode", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(2, "name", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "requestCap", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
  };

  private long opcode;
  private String name;
  private long requestCap;

  /** One without any field. */
  OperationDescription() {}

  /**
   * As in the table of operations.
   *
   * @return what it is
   */
  public long opcode() {
    return opcode;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String name() {
    return name;
  }

  /**
   * Bytes, header included.
   *
   * @return what it is
   */
  public long requestCap() {
    return requestCap;
  }

  @Override
  public void visit(Visitor visitor) {
    opcode = visitor.number(FIELDS[0], opcode);
    name = visitor.text(FIELDS[1], name);
    requestCap = visitor.number(FIELDS[2], requestCap);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
