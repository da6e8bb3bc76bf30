package kist;

/** Any error of this package. */
public class KistException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private transient Long requestId;
  private transient byte[] retryKey;

  KistException(String message, Throwable cause) {
    super(message, cause);
  }

  KistException about(Long id, byte[] key) {
    if (requestId == null) requestId = id;
    retryKey = key == null ? null : key.clone();
    return this;
  }

  /** {@return of a call, the unsigned id in its audit record, {@code kist audit show --request}; null if nothing was sent} */
  public Long requestId() {
    return requestId;
  }

  /** {@return of a call with one, the key with which the same call can be made again [OP-OPEN-11], else null} */
  public byte[] retryKey() {
    return retryKey == null ? null : retryKey.clone();
  }
}
