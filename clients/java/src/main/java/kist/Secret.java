package kist;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.security.auth.Destroyable;

/** Bytes that are printed nowhere, and overwritten by {@link #destroy}. What is made of them, such as by {@link #text}, is not. */
public final class Secret implements Destroyable, AutoCloseable {
  private final byte[] bytes;
  private boolean isDestroyed;

  Secret(byte[] bytes) {
    this.bytes = bytes;
  }

  /** {@return the bytes themselves, not a copy} */
  public byte[] bytes() {
    return bytes;
  }

  /** {@return the UTF-8 text in a string, which nothing can wipe} */
  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Overwrites the bytes with zeros. */
  @Override
  public void destroy() {
    Arrays.fill(bytes, (byte) 0);
    isDestroyed = true;
  }

  @Override
  public boolean isDestroyed() {
    return isDestroyed;
  }

  /** The same, for {@code try} with resources. */
  @Override
  public void close() {
    destroy();
  }

  @Override
  public String toString() {
    return "[secret of " + bytes.length + " bytes]";
  }
}
