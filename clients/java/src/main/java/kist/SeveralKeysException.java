package kist;

/** More than one key has such a label; the text names them. */
public final class SeveralKeysException extends KistException {
  private static final long serialVersionUID = 1;

  SeveralKeysException(String message) {
    super(message, null);
  }
}
