// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ImportKeyRequest. */
public final class ImportKeyRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "label", "string", Field.Presence.ANY, 0, 128, 0),
    new Field(2, "role", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(3, "privateKey", "bytes", Field.Presence.ANY, 0, 8192, 0),
    new Field(4, "certificate", "bytes", Field.Presence.ANY, 0, 8192, 0),
    new Field(5, "merchantIdentifier", "string", Field.Presence.ANY, 0, 255, 0),
    new Field(6, "activate", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(7, "notAfter", "uint64", Field.Presence.ANY, 0, Long.MAX_VALUE, 0),
    new Field(8, "otp", "message", Field.Presence.ANY, 0, 256, 0),
    new Field(9, "exportable", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(10, "jweMembers", "string", Field.Presence.ANY, 0, 512, 0),
  };

  private String label;
  private String role;
  private byte[] privateKey;
  private byte[] certificate;
  private String merchantIdentifier;
  private boolean activate;
  private long notAfter;
  private OtpParameters otp;
  private boolean exportable;
  private String jweMembers;

  /** One without any field. */
  public ImportKeyRequest() {}

  /**
   * At most 128 bytes.
   *
   * @return null if it is missing
   */
  public String label() {
    return label;
  }

  /**
   * At most 128 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest label(String value) {
    this.label = value;
    return this;
  }

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String role() {
    return role;
  }

  /**
   * At most 64 bytes.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest role(String value) {
    this.role = value;
    return this;
  }

  /**
   * RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in
   * import-block a key block's characters.
   *
   * @return null if it is missing
   */
  public byte[] privateKey() {
    return privateKey;
  }

  /**
   * RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in
   * import-block a key block's characters.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest privateKey(byte[] value) {
    this.privateKey = value;
    return this;
  }

  /**
   * At most 8192 bytes; DER.
   *
   * @return null if it is missing
   */
  public byte[] certificate() {
    return certificate;
  }

  /**
   * At most 8192 bytes; DER.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest certificate(byte[] value) {
    this.certificate = value;
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
  public ImportKeyRequest merchantIdentifier(String value) {
    this.merchantIdentifier = value;
    return this;
  }

  /**
   * At once, instead of by activate-key.
   *
   * @return what it is
   */
  public boolean activate() {
    return activate;
  }

  /**
   * At once, instead of by activate-key.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest activate(boolean value) {
    this.activate = value;
    return this;
  }

  /**
   * The not after.
   *
   * @return what it is
   */
  public long notAfter() {
    return notAfter;
  }

  /**
   * The not after.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest notAfter(long value) {
    Numbers.check("notAfter", value);
    this.notAfter = value;
    return this;
  }

  /**
   * Of a key for one-time values.
   *
   * @return null if it is missing
   */
  public OtpParameters otp() {
    return otp;
  }

  /**
   * Of a key for one-time values.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest otp(OtpParameters value) {
    this.otp = value;
    return this;
  }

  /**
   * The exportable.
   *
   * @return what it is
   */
  public boolean exportable() {
    return exportable;
  }

  /**
   * The exportable.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest exportable(boolean value) {
    this.exportable = value;
    return this;
  }

  /**
   * At most 512 bytes; of a partner's key: name=value for each member of its JWEs' headers.
   *
   * @return null if it is missing
   */
  public String jweMembers() {
    return jweMembers;
  }

  /**
   * At most 512 bytes; of a partner's key: name=value for each member of its JWEs' headers.
   *
   * @param value what it is
   * @return this
   */
  public ImportKeyRequest jweMembers(String value) {
    this.jweMembers = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    label = visitor.text(FIELDS[0], label);
    role = visitor.text(FIELDS[1], role);
    privateKey = visitor.bytes(FIELDS[2], privateKey);
    certificate = visitor.bytes(FIELDS[3], certificate);
    merchantIdentifier = visitor.text(FIELDS[4], merchantIdentifier);
    activate = visitor.flag(FIELDS[5], activate);
    notAfter = visitor.number(FIELDS[6], notAfter);
    otp = visitor.nested(FIELDS[7], otp, OtpParameters::new);
    exportable = visitor.flag(FIELDS[8], exportable);
    jweMembers = visitor.text(FIELDS[9], jweMembers);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
