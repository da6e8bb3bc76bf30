// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/**
 * What a key for one-time values needs besides its role; absent for the usual, or where the role
 * has no such thing.
 */
public final class OtpParameters implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "keySet", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(2, "keyAlias", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "digits", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(4, "hash", "enum", Field.Presence.ANY, 1, 3, 0),
    new Field(5, "step", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(6, "window", "uint32", Field.Presence.OPTIONAL, 0, 0xFFFFFFFFL, 0),
    new Field(7, "failures", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(8, "lockout", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
  };

  private String keySet;
  private String keyAlias;
  private long digits;
  private OtpHash hash;
  private long step;
  private Long window;
  private long failures;
  private long lockout;

  /** One without any field. */
  public OtpParameters() {}

  /**
   * At most 64 bytes; otp-visa: such as 123456.1.
   *
   * @return null if it is missing
   */
  public String keySet() {
    return keySet;
  }

  /**
   * At most 64 bytes; otp-visa: such as 123456.1.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters keySet(String value) {
    this.keySet = value;
    return this;
  }

  /**
   * At most 64 bytes; otp-mastercard.
   *
   * @return null if it is missing
   */
  public String keyAlias() {
    return keyAlias;
  }

  /**
   * At most 64 bytes; otp-mastercard.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters keyAlias(String value) {
    this.keyAlias = value;
    return this;
  }

  /**
   * Otp-hotp, otp-totp: 6 to 8, and so on.
   *
   * @return what it is
   */
  public long digits() {
    return digits;
  }

  /**
   * Otp-hotp, otp-totp: 6 to 8, and so on.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters digits(long value) {
    Numbers.check("digits", value);
    this.digits = value;
    return this;
  }

  /**
   * Otp-hotp, otp-totp: of their HMAC.
   *
   * @return null if it is missing
   */
  public OtpHash hash() {
    return hash;
  }

  /**
   * Otp-hotp, otp-totp: of their HMAC.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters hash(OtpHash value) {
    this.hash = value;
    return this;
  }

  /**
   * Otp-totp: seconds.
   *
   * @return what it is
   */
  public long step() {
    return step;
  }

  /**
   * Otp-totp: seconds.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters step(long value) {
    Numbers.check("step", value);
    this.step = value;
    return this;
  }

  /**
   * Counters, or time steps either way.
   *
   * @return null if it is missing
   */
  public Long window() {
    return window;
  }

  /**
   * Counters, or time steps either way.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters window(long value) {
    Numbers.check("window", value);
    this.window = value;
    return this;
  }

  /**
   * Before a lock-out.
   *
   * @return what it is
   */
  public long failures() {
    return failures;
  }

  /**
   * Before a lock-out.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters failures(long value) {
    Numbers.check("failures", value);
    this.failures = value;
    return this;
  }

  /**
   * Seconds.
   *
   * @return what it is
   */
  public long lockout() {
    return lockout;
  }

  /**
   * Seconds.
   *
   * @param value what it is
   * @return this
   */
  public OtpParameters lockout(long value) {
    Numbers.check("lockout", value);
    this.lockout = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    keySet = visitor.text(FIELDS[0], keySet);
    keyAlias = visitor.text(FIELDS[1], keyAlias);
    digits = visitor.number(FIELDS[2], digits);
    hash = visitor.enumeration(FIELDS[3], hash, OtpHash.values());
    step = visitor.number(FIELDS[4], step);
    window = visitor.optional(FIELDS[5], window);
    failures = visitor.number(FIELDS[6], failures);
    lockout = visitor.number(FIELDS[7], lockout);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
