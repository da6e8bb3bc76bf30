package kist;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

/** What holds for one call alone. */
public final class CallOptions {
  static final CallOptions NONE = new CallOptions(null, null, false);
  private static final int NUMBER_SIZE = 8;

  final Long requestId;
  final Duration timeout;
  final boolean isRepeated;

  private CallOptions(Long requestId, Duration timeout, boolean isRepeated) {
    this.requestId = requestId;
    this.timeout = timeout;
    this.isRepeated = isRepeated;
  }

  /** {@return options that change nothing} */
  public static CallOptions options() {
    return NONE;
  }

  static CallOptions one(CallOptions[] options) {
    if (options.length > 1) throw new IllegalArgumentException("a call takes its options once");
    return options.length == 0 ? NONE : options[0];
  }

  /**
   * Has an audit record with this id: {@code kist audit show --request}.
   *
   * @param id an unsigned number that is not 0
   * @return options with it
   */
  public CallOptions requestId(long id) {
    if (id == 0) throw new IllegalArgumentException("a request id is not 0");
    return new CallOptions(id, timeout, isRepeated);
  }

  /**
   * The same for a text: 16 hexadecimal digits are the id, and any other text stands for the first 8 bytes of its SHA-256.
   *
   * @param name such as an order's number
   * @return options with it
   */
  public CallOptions requestId(String name) {
    return requestId(number(name));
  }

  private static long number(String name) {
    long digits = name.matches("[0-9A-Fa-f]{16}") ? Long.parseUnsignedLong(name, 16) : 0;
    if (digits != 0) return digits;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return java.nio.ByteBuffer.wrap(digest, 0, NUMBER_SIZE).getLong();
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // every Java has it
    }
  }

  /**
   * Replaces the client's time-out, connecting included.
   *
   * @param timeout more than none
   * @return options with it
   */
  public CallOptions timeout(Duration timeout) {
    return new CallOptions(requestId, checked(timeout), isRepeated);
  }

  static Duration checked(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) throw new IllegalArgumentException("a time-out is more than none");
    return timeout;
  }

  /**
   * For {@code openPaymentToken} and {@code openEnvelope}: if the reply is lost, the same is sent once more, on a new connection and with a new time-out.
   *
   * @return options with it
   */
  public CallOptions retry() {
    return new CallOptions(requestId, timeout, true);
  }
}
