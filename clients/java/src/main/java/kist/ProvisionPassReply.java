// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: ProvisionPassReply. */
public final class ProvisionPassReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "encryptedPassData", "bytes", Field.Presence.ANY, 0, 16384, 0),
    new Field(2, "ephemeralPublicKey", "bytes", Field.Presence.REQUIRED, 65, 65, 0),
    new Field(3, "activationData", "bytes", Field.Presence.ANY, 0, 4096, 0),
  };

  private byte[] encryptedPassData;
  private byte[] ephemeralPublicKey;
  private byte[] activationData;
  private Long auditSequence;

  /** One without any field. */
  ProvisionPassReply() {}

  /**
   * At most 16384 bytes; ciphertext and 16-byte tag.
   *
   * @return null if it is missing
   */
  public byte[] encryptedPassData() {
    return encryptedPassData;
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
   * At most 4096 bytes.
   *
   * @return null if it is missing
   */
  public byte[] activationData() {
    return activationData;
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
    encryptedPassData = visitor.bytes(FIELDS[0], encryptedPassData);
    ephemeralPublicKey = visitor.bytes(FIELDS[1], ephemeralPublicKey);
    activationData = visitor.bytes(FIELDS[2], activationData);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
