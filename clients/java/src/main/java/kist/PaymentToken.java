// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A payment token, decoded from the base64 and hex of Apple's JSON. */
public final class PaymentToken implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "version", "enum", Field.Presence.REQUIRED, 1, 2, 0),
    new Field(2, "data", "bytes", Field.Presence.ANY, 0, 65536, 0),
    new Field(3, "signature", "bytes", Field.Presence.ANY, 0, 16384, 0),
    new Field(4, "ephemeralPublicKey", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(5, "wrappedKey", "bytes", Field.Presence.ANY, 0, 1024, 0),
    new Field(6, "publicKeyHash", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(7, "transactionId", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(8, "applicationData", "bytes", Field.Presence.ANY, 32, 32, 0),
  };

  private TokenVersion version;
  private byte[] data;
  private byte[] signature;
  private byte[] ephemeralPublicKey;
  private byte[] wrappedKey;
  private byte[] publicKeyHash;
  private byte[] transactionId;
  private byte[] applicationData;

  /** One without any field. */
  public PaymentToken() {}

  /**
   * The version.
   *
   * @return null if it is missing
   */
  public TokenVersion version() {
    return version;
  }

  /**
   * The version.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken version(TokenVersion value) {
    this.version = value;
    return this;
  }

  /**
   * At most 65536 bytes; ciphertext and 16-byte tag.
   *
   * @return null if it is missing
   */
  public byte[] data() {
    return data;
  }

  /**
   * At most 65536 bytes; ciphertext and 16-byte tag.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken data(byte[] value) {
    this.data = value;
    return this;
  }

  /**
   * At most 16384 bytes; detached CMS SignedData.
   *
   * @return null if it is missing
   */
  public byte[] signature() {
    return signature;
  }

  /**
   * At most 16384 bytes; detached CMS SignedData.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken signature(byte[] value) {
    this.signature = value;
    return this;
  }

  /**
   * EC_v1: SubjectPublicKeyInfo, 91 bytes.
   *
   * @return null if it is missing
   */
  public byte[] ephemeralPublicKey() {
    return ephemeralPublicKey;
  }

  /**
   * EC_v1: SubjectPublicKeyInfo, 91 bytes.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken ephemeralPublicKey(byte[] value) {
    this.ephemeralPublicKey = value;
    return this;
  }

  /**
   * At most 1024 bytes; RSA_v1.
   *
   * @return null if it is missing
   */
  public byte[] wrappedKey() {
    return wrappedKey;
  }

  /**
   * At most 1024 bytes; RSA_v1.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken wrappedKey(byte[] value) {
    this.wrappedKey = value;
    return this;
  }

  /**
   * 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] publicKeyHash() {
    return publicKeyHash;
  }

  /**
   * 32 bytes.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken publicKeyHash(byte[] value) {
    this.publicKeyHash = value;
    return this;
  }

  /**
   * 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] transactionId() {
    return transactionId;
  }

  /**
   * 32 bytes.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken transactionId(byte[] value) {
    this.transactionId = value;
    return this;
  }

  /**
   * 32 bytes; or absent.
   *
   * @return null if it is missing
   */
  public byte[] applicationData() {
    return applicationData;
  }

  /**
   * 32 bytes; or absent.
   *
   * @param value what it is
   * @return this
   */
  public PaymentToken applicationData(byte[] value) {
    this.applicationData = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    version = visitor.enumeration(FIELDS[0], version, TokenVersion.values());
    data = visitor.bytes(FIELDS[1], data);
    signature = visitor.bytes(FIELDS[2], signature);
    ephemeralPublicKey = visitor.bytes(FIELDS[3], ephemeralPublicKey);
    wrappedKey = visitor.bytes(FIELDS[4], wrappedKey);
    publicKeyHash = visitor.bytes(FIELDS[5], publicKeyHash);
    transactionId = visitor.bytes(FIELDS[6], transactionId);
    applicationData = visitor.bytes(FIELDS[7], applicationData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
