package kist;

/** The text is not a payment token of Apple's; nothing was sent. */
public final class TokenException extends KistException {
  private static final long serialVersionUID = 1;

  TokenException(String message) {
    super(message, null);
  }
}
