// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: AuditDigestRequest. */
public final class AuditDigestRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "field", "enum", Field.Presence.REQUIRED, 1, 3, 0),
    new Field(2, "value", "bytes", Field.Presence.ANY, 0, 128, 0),
  };

  private DigestField field;
  private byte[] value;

  /** One without any field. */
  public AuditDigestRequest() {}

  /**
   * The field.
   *
   * @return null if it is missing
   */
  public DigestField field() {
    return field;
  }

  /**
   * The field.
   *
   * @param value what it is
   * @return this
   */
  public AuditDigestRequest field(DigestField value) {
    this.field = value;
    return this;
  }

  /**
   * 32 bytes of a transaction id, digits, or the subject of codes.
   *
   * @return null if it is missing
   */
  public byte[] value() {
    return value;
  }

  /**
   * 32 bytes of a transaction id, digits, or the subject of codes.
   *
   * @param value what it is
   * @return this
   */
  public AuditDigestRequest value(byte[] value) {
    this.value = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    field = visitor.enumeration(FIELDS[0], field, DigestField.values());
    value = visitor.bytes(FIELDS[1], value);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
