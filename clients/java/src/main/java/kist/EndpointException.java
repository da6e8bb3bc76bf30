package kist;

/** The endpoint is not {@code unix:/PATH}. */
public final class EndpointException extends KistException {
  private static final long serialVersionUID = 1;

  EndpointException(String message) {
    super(message, null);
  }
}
