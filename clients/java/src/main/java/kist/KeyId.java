package kist;

import java.util.Arrays;

/** Names a key: the 16 bytes of its description's id. */
public final class KeyId {
  private static final int SIZE = 16;
  private final byte[] bytes;

  /**
   * One of these bytes.
   *
   * @param bytes 16 of them
   * @throws RequestException if there is another count
   */
  public KeyId(byte[] bytes) {
    if (bytes.length != SIZE) throw new RequestException("a key's id has " + SIZE + " bytes, not " + bytes.length);
    this.bytes = bytes.clone();
  }

  static KeyId needed(String operation, KeyId key) {
    if (key == null) throw new NullPointerException(operation + " needs a key");
    return key;
  }

  /** {@return a copy of the bytes} */
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyId id && Arrays.equals(bytes, id.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return java.util.HexFormat.of().formatHex(bytes);
  }
}
