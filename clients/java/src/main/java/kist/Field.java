package kist;

/**
 * A field and its bounds: of a number its value, else its size in bytes; {@code count} is the most elements of a list, {@code sizes} are the only ones besides none.
 */
record Field(int number, String name, String kind, Presence presence, long least, long most, int count, int... sizes) {
  /** Whether a field can be missing. */
  enum Presence {
    /** It is absent if it has its default. */
    ANY,
    /** The same on the wire, but the default is refused. */
    REQUIRED,
    /** A default can be sent. */
    OPTIONAL,
    /** A list. */
    REPEATED
  }

  boolean isRequired() {
    return presence == Presence.REQUIRED;
  }

  boolean hasSize(int size) {
    if (sizes.length == 0) return true;
    for (int each : sizes) if (each == size) return true;
    return false;
  }

  /** What it takes, for a person. */
  String takes() {
    if (sizes.length > 0) return java.util.Arrays.stream(sizes).mapToObj(String::valueOf).collect(java.util.stream.Collectors.joining(" or "));
    if (least == most) return String.valueOf(most);
    return least > 0 ? least + " to " + most : "at most " + most;
  }
}
