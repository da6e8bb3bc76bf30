// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/**
 * For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry.
 */
public final class VisaInput implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "type", "enum", Field.Presence.REQUIRED, 1, 4, 0),
    new Field(2, "nonce", "bytes", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "authenticationCode", "string", Field.Presence.ANY, 0, 32, 0),
    new Field(4, "accountNumber", "string", Field.Presence.ANY, 0, 19, 0),
    new Field(5, "expiry", "string", Field.Presence.ANY, 0, 4, 0),
  };

  private VisaType type;
  private byte[] nonce;
  private String authenticationCode;
  private String accountNumber;
  private String expiry;

  /** One without any field. */
  public VisaInput() {}

  /**
   * Which of Visa's values.
   *
   * @return null if it is missing
   */
  public VisaType type() {
    return type;
  }

  /**
   * Which of Visa's values.
   *
   * @param value what it is
   * @return this
   */
  public VisaInput type(VisaType value) {
    this.type = value;
    return this;
  }

  /**
   * 1 to 64 bytes.
   *
   * @return null if it is missing
   */
  public byte[] nonce() {
    return nonce;
  }

  /**
   * 1 to 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public VisaInput nonce(byte[] value) {
    this.nonce = value;
    return this;
  }

  /**
   * At most 32 bytes; 1 to 32 letters and digits.
   *
   * @return null if it is missing
   */
  public String authenticationCode() {
    return authenticationCode;
  }

  /**
   * At most 32 bytes; 1 to 32 letters and digits.
   *
   * @param value what it is
   * @return this
   */
  public VisaInput authenticationCode(String value) {
    this.authenticationCode = value;
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
  public VisaInput accountNumber(String value) {
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
  public VisaInput expiry(String value) {
    this.expiry = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    type = visitor.enumeration(FIELDS[0], type, VisaType.values());
    nonce = visitor.bytes(FIELDS[1], nonce);
    authenticationCode = visitor.text(FIELDS[2], authenticationCode);
    accountNumber = visitor.text(FIELDS[3], accountNumber);
    expiry = visitor.text(FIELDS[4], expiry);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
