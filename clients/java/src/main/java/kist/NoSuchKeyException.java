package kist;

/** No key has such a label, or none that the caller may list. */
public final class NoSuchKeyException extends KistException {
  private static final long serialVersionUID = 1;

  NoSuchKeyException(String message) {
    super(message, null);
  }
}
