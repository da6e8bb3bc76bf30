// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ProvisionPassRequest. */
public final class ProvisionPassRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "scheme", "enum", Field.Presence.REQUIRED, 1, 2, 0),
    new Field(2, "certificates", "bytes", Field.Presence.REPEATED, 0, 8192, 3),
    new Field(3, "configuration", "enum", Field.Presence.REQUIRED, 1, 4, 0),
    new Field(4, "encryptedPrimaryAccountNumber", "string", Field.Presence.ANY, 0, 1024, 0),
    new Field(5, "expiration", "string", Field.Presence.ANY, 0, 5, 0),
    new Field(6, "name", "string", Field.Presence.ANY, 0, 256, 0),
    new Field(7, "networkName", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(8, "nonce", "bytes", Field.Presence.ANY, 0, 64, 0),
    new Field(9, "nonceSignature", "bytes", Field.Presence.ANY, 0, 256, 0),
    new Field(10, "primaryAccountIdentifier", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(11, "primaryAccountNumber", "string", Field.Presence.ANY, 0, 19, 0),
    new Field(12, "primaryAccountNumberPrefix", "string", Field.Presence.ANY, 0, 19, 0),
    new Field(13, "productType", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(14, "accountEnvelope", "bytes", Field.Presence.ANY, 0, 512, 0),
    new Field(15, "envelopeContext", "bytes", Field.Presence.ANY, 0, 512, 0),
    new Field(16, "visa", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(17, "mastercard", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(18, "activationData", "bytes", Field.Presence.ANY, 0, 4096, 0),
    new Field(19, "accountSurrogate", "message", Field.Presence.ANY, 0, 512, 0),
    new Field(20, "networkKey", "bytes", Field.Presence.ANY, 16, 16, 0),
  };

  private EncryptionScheme scheme;
  private java.util.List<byte[]> certificates = java.util.List.of();
  private PassConfiguration configuration;
  private String encryptedPrimaryAccountNumber;
  private String expiration;
  private String name;
  private String networkName;
  private byte[] nonce;
  private byte[] nonceSignature;
  private String primaryAccountIdentifier;
  private String primaryAccountNumber;
  private String primaryAccountNumberPrefix;
  private String productType;
  private byte[] accountEnvelope;
  private byte[] envelopeContext;
  private VisaInput visa;
  private MastercardInput mastercard;
  private byte[] activationData;
  private AccountSurrogate accountSurrogate;
  private byte[] networkKey;

  /** One without any field. */
  public ProvisionPassRequest() {}

  /**
   * EV_ECC_v2; the other is refused.
   *
   * @return null if it is missing
   */
  public EncryptionScheme scheme() {
    return scheme;
  }

  /**
   * EV_ECC_v2; the other is refused.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest scheme(EncryptionScheme value) {
    this.scheme = value;
    return this;
  }

  /**
   * At most 8192 bytes; DER, one to three in any order.
   *
   * @return none of them if it is missing
   */
  public java.util.List<byte[]> certificates() {
    return certificates;
  }

  /**
   * At most 8192 bytes; DER, one to three in any order.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest certificates(java.util.List<byte[]> value) {
    this.certificates = java.util.List.copyOf(value);
    return this;
  }

  /**
   * Which of Apple's four.
   *
   * @return null if it is missing
   */
  public PassConfiguration configuration() {
    return configuration;
  }

  /**
   * Which of Apple's four.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest configuration(PassConfiguration value) {
    this.configuration = value;
    return this;
  }

  /**
   * At most 1024 bytes.
   *
   * @return null if it is missing
   */
  public String encryptedPrimaryAccountNumber() {
    return encryptedPrimaryAccountNumber;
  }

  /**
   * At most 1024 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest encryptedPrimaryAccountNumber(String value) {
    this.encryptedPrimaryAccountNumber = value;
    return this;
  }

  /**
   * At most 5 bytes; MM/YY.
   *
   * @return null if it is missing
   */
  public String expiration() {
    return expiration;
  }

  /**
   * At most 5 bytes; MM/YY.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest expiration(String value) {
    this.expiration = value;
    return this;
  }

  /**
   * At most 256 bytes.
   *
   * @return null if it is missing
   */
  public String name() {
    return name;
  }

  /**
   * At most 256 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest name(String value) {
    this.name = value;
    return this;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String networkName() {
    return networkName;
  }

  /**
   * At most 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest networkName(String value) {
    this.networkName = value;
    return this;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public byte[] nonce() {
    return nonce;
  }

  /**
   * At most 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest nonce(byte[] value) {
    this.nonce = value;
    return this;
  }

  /**
   * At most 256 bytes.
   *
   * @return null if it is missing
   */
  public byte[] nonceSignature() {
    return nonceSignature;
  }

  /**
   * At most 256 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest nonceSignature(byte[] value) {
    this.nonceSignature = value;
    return this;
  }

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String primaryAccountIdentifier() {
    return primaryAccountIdentifier;
  }

  /**
   * At most 128 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest primaryAccountIdentifier(String value) {
    this.primaryAccountIdentifier = value;
    return this;
  }

  /**
   * At most 19 bytes.
   *
   * @return null if it is missing
   */
  public String primaryAccountNumber() {
    return primaryAccountNumber;
  }

  /**
   * At most 19 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest primaryAccountNumber(String value) {
    this.primaryAccountNumber = value;
    return this;
  }

  /**
   * At most 19 bytes; its first digits.
   *
   * @return null if it is missing
   */
  public String primaryAccountNumberPrefix() {
    return primaryAccountNumberPrefix;
  }

  /**
   * At most 19 bytes; its first digits.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest primaryAccountNumberPrefix(String value) {
    this.primaryAccountNumberPrefix = value;
    return this;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String productType() {
    return productType;
  }

  /**
   * At most 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest productType(String value) {
    this.productType = value;
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
  public ProvisionPassRequest accountEnvelope(byte[] value) {
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
  public ProvisionPassRequest envelopeContext(byte[] value) {
    this.envelopeContext = value;
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
  public ProvisionPassRequest visa(VisaInput value) {
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
  public ProvisionPassRequest mastercard(MastercardInput value) {
    this.mastercard = value;
    return this;
  }

  /**
   * At most 4096 bytes; another network's, passed through.
   *
   * @return null if it is missing
   */
  public byte[] activationData() {
    return activationData;
  }

  /**
   * At most 4096 bytes; another network's, passed through.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest activationData(byte[] value) {
    this.activationData = value;
    return this;
  }

  /**
   * In place of the number.
   *
   * @return null if it is missing
   */
  public AccountSurrogate accountSurrogate() {
    return accountSurrogate;
  }

  /**
   * In place of the number.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest accountSurrogate(AccountSurrogate value) {
    this.accountSurrogate = value;
    return this;
  }

  /**
   * 16 bytes: encrypts the number for the network.
   *
   * @return null if it is missing
   */
  public byte[] networkKey() {
    return networkKey;
  }

  /**
   * 16 bytes: encrypts the number for the network.
   *
   * @param value what it is
   * @return this
   */
  public ProvisionPassRequest networkKey(byte[] value) {
    this.networkKey = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    scheme = visitor.enumeration(FIELDS[0], scheme, EncryptionScheme.values());
    certificates = visitor.blobs(FIELDS[1], certificates);
    configuration = visitor.enumeration(FIELDS[2], configuration, PassConfiguration.values());
    encryptedPrimaryAccountNumber = visitor.text(FIELDS[3], encryptedPrimaryAccountNumber);
    expiration = visitor.text(FIELDS[4], expiration);
    name = visitor.text(FIELDS[5], name);
    networkName = visitor.text(FIELDS[6], networkName);
    nonce = visitor.bytes(FIELDS[7], nonce);
    nonceSignature = visitor.bytes(FIELDS[8], nonceSignature);
    primaryAccountIdentifier = visitor.text(FIELDS[9], primaryAccountIdentifier);
    primaryAccountNumber = visitor.text(FIELDS[10], primaryAccountNumber);
    primaryAccountNumberPrefix = visitor.text(FIELDS[11], primaryAccountNumberPrefix);
    productType = visitor.text(FIELDS[12], productType);
    accountEnvelope = visitor.bytes(FIELDS[13], accountEnvelope);
    envelopeContext = visitor.bytes(FIELDS[14], envelopeContext);
    visa = visitor.nested(FIELDS[15], visa, VisaInput::new);
    mastercard = visitor.nested(FIELDS[16], mastercard, MastercardInput::new);
    activationData = visitor.bytes(FIELDS[17], activationData);
    accountSurrogate = visitor.nested(FIELDS[18], accountSurrogate, AccountSurrogate::new);
    networkKey = visitor.bytes(FIELDS[19], networkKey);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
