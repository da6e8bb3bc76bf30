package kist;

/** The reply breaks the protocol; the connection was closed. */
public final class ReplyException extends KistException {
  private static final long serialVersionUID = 1;

  ReplyException(String message) {
    super(message, null);
  }
}
