// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: VerifyRequest. */
public final class VerifyRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "scheme", "enum", Field.Presence.REQUIRED, 1, 11, 0),
    new Field(2, "digested", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(3, "message", "bytes", Field.Presence.ANY, 0, 65536, 0),
    new Field(4, "signature", "bytes", Field.Presence.ANY, 0, 512, 0),
  };

  private SignatureScheme scheme;
  private boolean digested;
  private byte[] message;
  private byte[] signature;

  /** One without any field. */
  public VerifyRequest() {}

  /**
   * Which signature.
   *
   * @return null if it is missing
   */
  public SignatureScheme scheme() {
    return scheme;
  }

  /**
   * Which signature.
   *
   * @param value what it is
   * @return this
   */
  public VerifyRequest scheme(SignatureScheme value) {
    this.scheme = value;
    return this;
  }

  /**
   * Message is the message's digest.
   *
   * @return what it is
   */
  public boolean digested() {
    return digested;
  }

  /**
   * Message is the message's digest.
   *
   * @param value what it is
   * @return this
   */
  public VerifyRequest digested(boolean value) {
    this.digested = value;
    return this;
  }

  /**
   * At most 65536 bytes.
   *
   * @return null if it is missing
   */
  public byte[] message() {
    return message;
  }

  /**
   * At most 65536 bytes.
   *
   * @param value what it is
   * @return this
   */
  public VerifyRequest message(byte[] value) {
    this.message = value;
    return this;
  }

  /**
   * At most 512 bytes.
   *
   * @return null if it is missing
   */
  public byte[] signature() {
    return signature;
  }

  /**
   * At most 512 bytes.
   *
   * @param value what it is
   * @return this
   */
  public VerifyRequest signature(byte[] value) {
    this.signature = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    scheme = visitor.enumeration(FIELDS[0], scheme, SignatureScheme.values());
    digested = visitor.flag(FIELDS[1], digested);
    message = visitor.bytes(FIELDS[2], message);
    signature = visitor.bytes(FIELDS[3], signature);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
