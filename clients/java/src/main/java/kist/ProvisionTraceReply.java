// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ProvisionTraceReply. */
public final class ProvisionTraceReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "publicKeyHash", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(2, "ephemeralPublicKey", "bytes", Field.Presence.REQUIRED, 65, 65, 0),
    new Field(3, "sharedSecret", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(4, "otherInfo", "bytes", Field.Presence.REQUIRED, 84, 84, 0),
    new Field(5, "sharedKey", "bytes", Field.Presence.REQUIRED, 32, 32, 0),
    new Field(6, "encryptedPassData", "bytes", Field.Presence.ANY, 0, 4112, 0),
  };

  private byte[] publicKeyHash;
  private byte[] ephemeralPublicKey;
  private byte[] sharedSecret;
  private byte[] otherInfo;
  private byte[] sharedKey;
  private byte[] encryptedPassData;
  private Long auditSequence;

  /** One without any field. */
  ProvisionTraceReply() {}

  /**
   * 32 bytes.
   *
   * @return null if it is missing
   */
  public byte[] publicKeyHash() {
    return publicKeyHash;
  }

  /**
   * 65 bytes.
   *
   * @return null if it is missing
   */
  public byte[] ephemeralPublicKey() {
    return ephemeralPublicKey;
  }

  /**
   * 32 bytes; Z.
   *
   * @return null if it is missing
   */
  public byte[] sharedSecret() {
    return sharedSecret;
  }

  /**
   * 84 bytes.
   *
   * @return null if it is missing
   */
  public byte[] otherInfo() {
    return otherInfo;
  }

  /**
   * 32 bytes; the content key.
   *
   * @return null if it is missing
   */
  public byte[] sharedKey() {
    return sharedKey;
  }

  /**
   * At most 4112 bytes; ciphertext and tag.
   *
   * @return null if it is missing
   */
  public byte[] encryptedPassData() {
    return encryptedPassData;
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
    publicKeyHash = visitor.bytes(FIELDS[0], publicKeyHash);
    ephemeralPublicKey = visitor.bytes(FIELDS[1], ephemeralPublicKey);
    sharedSecret = visitor.bytes(FIELDS[2], sharedSecret);
    otherInfo = visitor.bytes(FIELDS[3], otherInfo);
    sharedKey = visitor.bytes(FIELDS[4], sharedKey);
    encryptedPassData = visitor.bytes(FIELDS[5], encryptedPassData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
