// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ListKeysRequest. */
public final class ListKeysRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "prefix", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(2, "after", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(3, "pattern", "string", Field.Presence.ANY, 0, 128, 0),
  };

  private String prefix;
  private String after;
  private String pattern;

  /** One without any field. */
  public ListKeysRequest() {}

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String prefix() {
    return prefix;
  }

  /**
   * At most 128 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ListKeysRequest prefix(String value) {
    this.prefix = value;
    return this;
  }

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String after() {
    return after;
  }

  /**
   * At most 128 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ListKeysRequest after(String value) {
    this.after = value;
    return this;
  }

  /**
   * At most 128 bytes; as policy has it: a label, or one that ends in /*.
   *
   * @return null if it is missing
   */
  public String pattern() {
    return pattern;
  }

  /**
   * At most 128 bytes; as policy has it: a label, or one that ends in /*.
   *
   * @param value what it is
   * @return this
   */
  public ListKeysRequest pattern(String value) {
    this.pattern = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    prefix = visitor.text(FIELDS[0], prefix);
    after = visitor.text(FIELDS[1], after);
    pattern = visitor.text(FIELDS[2], pattern);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
