// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: EcdhRequest. */
public final class EcdhRequest implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "peer", "bytes", Field.Presence.ANY, 0, 120, 0),
    new Field(2, "release", "bool", Field.Presence.ANY, 0, 1, 0),
  };

  private byte[] peer;
  private boolean release;

  /** One without any field. */
  public EcdhRequest() {}

  /**
   * At most 120 bytes; an uncompressed point, or a SubjectPublicKeyInfo with a named curve.
   *
   * @return null if it is missing
   */
  public byte[] peer() {
    return peer;
  }

  /**
   * At most 120 bytes; an uncompressed point, or a SubjectPublicKeyInfo with a named curve.
   *
   * @param value what it is
   * @return this
   */
  public EcdhRequest peer(byte[] value) {
    this.peer = value;
    return this;
  }

  /**
   * The release.
   *
   * @return what it is
   */
  public boolean release() {
    return release;
  }

  /**
   * The release.
   *
   * @param value what it is
   * @return this
   */
  public EcdhRequest release(boolean value) {
    this.release = value;
    return this;
  }

  @Override
  public void visit(Visitor visitor) {
    peer = visitor.bytes(FIELDS[0], peer);
    release = visitor.flag(FIELDS[1], release);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
