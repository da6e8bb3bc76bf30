package kist;

/** An enum's value, which has a number in the protocol, and a name in policy and documents. */
public interface Numbered {
  /** {@return its number} */
  int number();

  /** {@return its name, such as {@code signing-time}} */
  String text();
}
