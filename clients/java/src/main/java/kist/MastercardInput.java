// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** For Mastercard's MDES. */
public final class MastercardInput implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "version", "uint32", Field.Presence.REQUIRED, 2, 4, 0),
    new Field(2, "accountNumber", "string", Field.Presence.ANY, 0, 19, 0),
    new Field(3, "expiry", "string", Field.Presence.ANY, 0, 4, 0),
    new Field(4, "tokenReference", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(5, "validUntil", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private long version;
  private String accountNumber;
  private String expiry;
  private String tokenReference;
  private long validUntil;

  /** One without any field. */
  public MastercardInput() {}

  /**
   * 2, 3 or 4.
   *
   * @return what it is
   */
  public long version() {
    return version;
  }

  /**
   * 2, 3 or 4.
   *
   * @param value what it is
   * @return this
   */
  public MastercardInput version(long value) {
    Numbers.check("version", value);
    this.version = value;
    return this;
  }

  /**
   * At most 19 bytes; digits.
   *
   * @return null if it is missing
   */
  public String accountNumber() {
    return accountNumber;
  }

  /**
   * At most 19 bytes; digits.
   *
   * @param value what it is
   * @return this
   */
  public MastercardInput accountNumber(String value) {
    this.accountNumber = value;
    return this;
  }

  /**
   * At most 4 bytes; MMYY.
   *
   * @return null if it is missing
   */
  public String expiry() {
    return expiry;
  }

  /**
   * At most 4 bytes; MMYY.
   *
   * @param value what it is
   * @return this
   */
  public MastercardInput expiry(String value) {
    this.expiry = value;
    return this;
  }

  /**
   * At most 64 bytes; version 2.
   *
   * @return null if it is missing
   */
  public String tokenReference() {
    return tokenReference;
  }

  /**
   * At most 64 bytes; version 2.
   *
   * @param value what it is
   * @return this
   */
  public MastercardInput tokenReference(String value) {
    this.tokenReference = value;
    return this;
  }

  /**
   * Versions 3 and 4; absent for half an hour.
   *
   * @return what it is
   */
  public long validUntil() {
    return validUntil;
  }

  /**
   * Versions 3 and 4; absent for half an hour.
   *
   * @param value what it is
   * @return this
   */
  public MastercardInput validUntil(long value) {
    Numbers.check("validUntil", value);
    this.validUntil = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    version = visitor.number(FIELDS[0], version);
    accountNumber = visitor.text(FIELDS[1], accountNumber);
    expiry = visitor.text(FIELDS[2], expiry);
    tokenReference = visitor.text(FIELDS[3], tokenReference);
    validUntil = visitor.number(FIELDS[4], validUntil);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
