package kist;

/** The request breaks a bound of the protocol, so nothing was sent; the text names the field and the bound. */
public final class RequestException extends KistException {
  private static final long serialVersionUID = 1;

  RequestException(String message) {
    super(message, null);
  }
}
