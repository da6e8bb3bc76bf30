// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: DetokeniseRequest. */
public final class DetokeniseRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "surrogate", "string", Field.Presence.REQUIRED, 1, 32, 0),
    new Field(3, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
  };

  private String surrogate;
  private String merchantIdentifier;

  /** One without any field. */
  public DetokeniseRequest() {}

  /**
   * At most 32 bytes; digits.
   *
   * @return null if it is missing
   */
  public String surrogate() {
    return surrogate;
  }

  /**
   * At most 32 bytes; digits.
   *
   * @param value what it is
   * @return this
   */
  public DetokeniseRequest surrogate(String value) {
    this.surrogate = value;
    return this;
  }

  /**
   * At most 255 bytes.
   *
   * @return null if it is missing
   */
  public String merchantIdentifier() {
    return merchantIdentifier;
  }

  /**
   * At most 255 bytes.
   *
   * @param value what it is
   * @return this
   */
  public DetokeniseRequest merchantIdentifier(String value) {
    this.merchantIdentifier = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    surrogate = visitor.text(FIELDS[0], surrogate);
    merchantIdentifier = visitor.text(FIELDS[1], merchantIdentifier);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
