// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A card's number by its surrogate. */
public final class AccountSurrogate implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "surrogate", "string", Field.Presence.REQUIRED, 1, 32, 0),
    new Field(2, "key", "bytes", Field.Presence.REQUIRED, 16, 16, 0),
    new Field(3, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
  };

  private String surrogate;
  private byte[] key;
  private String merchantIdentifier;

  /** One without any field. */
  public AccountSurrogate() {}

  /**
   * At most 32 bytes.
   *
   * @return null if it is missing
   */
  public String surrogate() {
    return surrogate;
  }

  /**
   * At most 32 bytes.
   *
   * @param value what it is
   * @return this
   */
  public AccountSurrogate surrogate(String value) {
    this.surrogate = value;
    return this;
  }

  /**
   * 16 bytes: the key that made it.
   *
   * @return null if it is missing
   */
  public byte[] key() {
    return key;
  }

  /**
   * 16 bytes: the key that made it.
   *
   * @param value what it is
   * @return this
   */
  public AccountSurrogate key(byte[] value) {
    this.key = value;
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
  public AccountSurrogate merchantIdentifier(String value) {
    this.merchantIdentifier = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    surrogate = visitor.text(FIELDS[0], surrogate);
    key = visitor.bytes(FIELDS[1], key);
    merchantIdentifier = visitor.text(FIELDS[2], merchantIdentifier);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
