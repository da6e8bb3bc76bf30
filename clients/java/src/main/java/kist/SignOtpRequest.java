// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SignOtpRequest. */
public final class SignOtpRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "subject", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(2, "counter", "uint64", Field.Presence.OPTIONAL, 0, Long.MAX_VALUE, 0),
    new Field(3, "visa", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(4, "mastercard", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(5, "accountEnvelope", "bytes", Field.Presence.ANY, 0, 512, 0),
    new Field(6, "envelopeContext", "bytes", Field.Presence.ANY, 0, 512, 0),
    new Field(7, "accountSurrogate", "message", Field.Presence.ANY, 0, 512, 0),
  };

  private String subject;
  private Long counter;
  private VisaInput visa;
  private MastercardInput mastercard;
  private byte[] accountEnvelope;
  private byte[] envelopeContext;
  private AccountSurrogate accountSurrogate;

  /** One without any field. */
  public SignOtpRequest() {}

  /**
   * At most 128 bytes; of a code.
   *
   * @return null if it is missing
   */
  public String subject() {
    return subject;
  }

  /**
   * At most 128 bytes; of a code.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest subject(String value) {
    this.subject = value;
    return this;
  }

  /**
   * Of a counted code; absent for the next.
   *
   * @return null if it is missing
   */
  public Long counter() {
    return counter;
  }

  /**
   * Of a counted code; absent for the next.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest counter(long value) {
    Numbers.check("counter", value);
    this.counter = value;
    return this;
  }

  /**
   * The visa.
   *
   * @return null if it is missing
   */
  public VisaInput visa() {
    return visa;
  }

  /**
   * The visa.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest visa(VisaInput value) {
    this.visa = value;
    return this;
  }

  /**
   * The mastercard.
   *
   * @return null if it is missing
   */
  public MastercardInput mastercard() {
    return mastercard;
  }

  /**
   * The mastercard.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest mastercard(MastercardInput value) {
    this.mastercard = value;
    return this;
  }

  /**
   * At most 512 bytes; in place of the number.
   *
   * @return null if it is missing
   */
  public byte[] accountEnvelope() {
    return accountEnvelope;
  }

  /**
   * At most 512 bytes; in place of the number.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest accountEnvelope(byte[] value) {
    this.accountEnvelope = value;
    return this;
  }

  /**
   * At most 512 bytes; what it was sealed with besides.
   *
   * @return null if it is missing
   */
  public byte[] envelopeContext() {
    return envelopeContext;
  }

  /**
   * At most 512 bytes; what it was sealed with besides.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest envelopeContext(byte[] value) {
    this.envelopeContext = value;
    return this;
  }

  /**
   * The account surrogate.
   *
   * @return null if it is missing
   */
  public AccountSurrogate accountSurrogate() {
    return accountSurrogate;
  }

  /**
   * The account surrogate.
   *
   * @param value what it is
   * @return this
   */
  public SignOtpRequest accountSurrogate(AccountSurrogate value) {
    this.accountSurrogate = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    subject = visitor.text(FIELDS[0], subject);
    counter = visitor.optional(FIELDS[1], counter);
    visa = visitor.nested(FIELDS[2], visa, VisaInput::new);
    mastercard = visitor.nested(FIELDS[3], mastercard, MastercardInput::new);
    accountEnvelope = visitor.bytes(FIELDS[4], accountEnvelope);
    envelopeContext = visitor.bytes(FIELDS[5], envelopeContext);
    accountSurrogate = visitor.nested(FIELDS[6], accountSurrogate, AccountSurrogate::new);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
