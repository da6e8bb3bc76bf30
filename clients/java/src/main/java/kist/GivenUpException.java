package kist;

/** The thread that waited was interrupted, or the future cancelled: the request may have been carried out. */
public final class GivenUpException extends KistException {
  private static final long serialVersionUID = 1;

  GivenUpException(String message) {
    super(message, null);
  }
}
