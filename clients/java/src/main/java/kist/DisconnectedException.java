package kist;

/** The connection ended before the reply: the request may have been carried out. */
public final class DisconnectedException extends KistException {
  private static final long serialVersionUID = 1;

  DisconnectedException(String message) {
    super(message, null);
  }
}
