package kist;

/** The reply did not come in time: the request may have been carried out, unless the text says that it was not sent. */
public final class CallTimeoutException extends KistException {
  private static final long serialVersionUID = 1;

  CallTimeoutException(String message) {
    super(message, null);
  }
}
