// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: SignRequest. */
public final class SignRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "scheme", "enum", Field.Presence.REQUIRED, 1, 11, 0),
    new Field(2, "digested", "bool", Field.Presence.ANY, 0, 1, 0),
    new Field(3, "message", "bytes", Field.Presence.ANY, 0, 65536, 0),
  };

  private SignatureScheme scheme;
  private boolean digested;
  private byte[] message;

  /** One without any field. */
  public SignRequest() {}

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
  public SignRequest scheme(SignatureScheme value) {
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
  public SignRequest digested(boolean value) {
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
  public SignRequest message(byte[] value) {
    this.message = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    scheme = visitor.enumeration(FIELDS[0], scheme, SignatureScheme.values());
    digested = visitor.flag(FIELDS[1], digested);
    message = visitor.bytes(FIELDS[2], message);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
