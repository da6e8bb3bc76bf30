// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: RandomRequest. */
public final class RandomRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "count", "uint32", Field.Presence.REQUIRED, 1, 1024, 0),
  };

  private long count;

  /** One without any field. */
  public RandomRequest() {}

  /**
   * 1 to 1024 bytes.
   *
   * @return what it is
   */
  public long count() {
    return count;
  }

  /**
   * 1 to 1024 bytes.
   *
   * @param value what it is
   * @return this
   */
  public RandomRequest count(long value) {
    Numbers.check("count", value);
    this.count = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    count = visitor.number(FIELDS[0], count);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
