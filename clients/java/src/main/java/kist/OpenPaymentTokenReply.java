// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/**
 * The released fields of an opened token; one that was not released, or that the token does not
 * have, is absent.
 */
public final class OpenPaymentTokenReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "dpan", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(2, "last4", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(3, "bin", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(4, "network", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(5, "expiry", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(6, "currency", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(7, "amount", "uint64", Field.Presence.OPTIONAL, 0, Long.MAX_VALUE, 0),
    new Field(8, "cryptogram", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(9, "eci", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(10, "paymentDataType", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(11, "deviceManufacturer", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(12, "emvData", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(13, "encryptedPin", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(14, "cardholderName", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(15, "authenticationResponses", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(16, "merchantToken", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(17, "raw", "bytes", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(18, "signingTime", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(20, "surrogate", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(21, "envelope", "bytes", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(22, "jwe", "string", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
  };

  private Secret dpan;
  private String last4;
  private String bin;
  private String network;
  private Secret expiry;
  private String currency;
  private Long amount;
  private Secret cryptogram;
  private String eci;
  private String paymentDataType;
  private String deviceManufacturer;
  private Secret emvData;
  private Secret encryptedPin;
  private Secret cardholderName;
  private Secret authenticationResponses;
  private Secret merchantToken;
  private Secret raw;
  private long signingTime;
  private String surrogate;
  private byte[] envelope;
  private String jwe;
  private Long auditSequence;

  /** One without any field. */
  OpenPaymentTokenReply() {}

  /**
   * The dpan.
   *
   * @return null if it is missing
   */
  public Secret dpan() {
    return dpan;
  }

  /**
   * The last4.
   *
   * @return null if it is missing
   */
  public String last4() {
    return last4;
  }

  /**
   * The bin.
   *
   * @return null if it is missing
   */
  public String bin() {
    return bin;
  }

  /**
   * The network.
   *
   * @return null if it is missing
   */
  public String network() {
    return network;
  }

  /**
   * YYMMDD.
   *
   * @return null if it is missing
   */
  public Secret expiry() {
    return expiry;
  }

  /**
   * The currency.
   *
   * @return null if it is missing
   */
  public String currency() {
    return currency;
  }

  /**
   * Minor units.
   *
   * @return null if it is missing
   */
  public Long amount() {
    return amount;
  }

  /**
   * Base64 text, as Apple wrote it.
   *
   * @return null if it is missing
   */
  public Secret cryptogram() {
    return cryptogram;
  }

  /**
   * The eci.
   *
   * @return null if it is missing
   */
  public String eci() {
    return eci;
  }

  /**
   * 3DSecure or EMV.
   *
   * @return null if it is missing
   */
  public String paymentDataType() {
    return paymentDataType;
  }

  /**
   * Hexadecimal.
   *
   * @return null if it is missing
   */
  public String deviceManufacturer() {
    return deviceManufacturer;
  }

  /**
   * Base64 text, as Apple wrote it.
   *
   * @return null if it is missing
   */
  public Secret emvData() {
    return emvData;
  }

  /**
   * Hexadecimal, of EMV.
   *
   * @return null if it is missing
   */
  public Secret encryptedPin() {
    return encryptedPin;
  }

  /**
   * If the issuer gave it.
   *
   * @return null if it is missing
   */
  public Secret cardholderName() {
    return cardholderName;
  }

  /**
   * JSON.
   *
   * @return null if it is missing
   */
  public Secret authenticationResponses() {
    return authenticationResponses;
  }

  /**
   * JSON: merchantTokenIdentifier and merchantTokenMetadata.
   *
   * @return null if it is missing
   */
  public Secret merchantToken() {
    return merchantToken;
  }

  /**
   * The whole decrypted JSON.
   *
   * @return null if it is missing
   */
  public Secret raw() {
    return raw;
  }

  /**
   * Seconds since 1970, by the signature.
   *
   * @return what it is
   */
  public long signingTime() {
    return signingTime;
  }

  /**
   * The surrogate.
   *
   * @return null if it is missing
   */
  public String surrogate() {
    return surrogate;
  }

  /**
   * The envelope.
   *
   * @return null if it is missing
   */
  public byte[] envelope() {
    return envelope;
  }

  /**
   * Everything that is released, for a partner: compact serialisation.
   *
   * @return null if it is missing
   */
  public String jwe() {
    return jwe;
  }

  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }

  @Override
  public void visit(Visitor visitor) {
    dpan = visitor.secretText(FIELDS[0], dpan);
    last4 = visitor.text(FIELDS[1], last4);
    bin = visitor.text(FIELDS[2], bin);
    network = visitor.text(FIELDS[3], network);
    expiry = visitor.secretText(FIELDS[4], expiry);
    currency = visitor.text(FIELDS[5], currency);
    amount = visitor.optional(FIELDS[6], amount);
    cryptogram = visitor.secretText(FIELDS[7], cryptogram);
    eci = visitor.text(FIELDS[8], eci);
    paymentDataType = visitor.text(FIELDS[9], paymentDataType);
    deviceManufacturer = visitor.text(FIELDS[10], deviceManufacturer);
    emvData = visitor.secretText(FIELDS[11], emvData);
    encryptedPin = visitor.secretText(FIELDS[12], encryptedPin);
    cardholderName = visitor.secretText(FIELDS[13], cardholderName);
    authenticationResponses = visitor.secretText(FIELDS[14], authenticationResponses);
    merchantToken = visitor.secretText(FIELDS[15], merchantToken);
    raw = visitor.secret(FIELDS[16], raw);
    signingTime = visitor.number(FIELDS[17], signingTime);
    surrogate = visitor.text(FIELDS[18], surrogate);
    envelope = visitor.bytes(FIELDS[19], envelope);
    jwe = visitor.text(FIELDS[20], jwe);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
