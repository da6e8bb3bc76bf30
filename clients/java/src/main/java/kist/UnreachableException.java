package kist;

/** Nobody answers on the socket, and nothing was sent. */
public final class UnreachableException extends KistException {
  private static final long serialVersionUID = 1;

  UnreachableException(String message) {
    super(message, null);
  }
}
