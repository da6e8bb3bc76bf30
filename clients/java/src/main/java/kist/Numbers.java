package kist;

/** Checks of numbers that callers give. */
final class Numbers {
  private Numbers() {}

  /** A negative number would be sent as another one. */
  static void check(String name, long value) {
    if (value < 0) throw new IllegalArgumentException(name + " is " + value + "; it is not negative");
  }
}
