package kist;

/** What is wrong with a message, by the golden vectors' name; {@code text} is for a person, and has sizes and numbers alone. */
final class Flaw extends Exception {
  private static final long serialVersionUID = 1;
  final String fault;
  String text;

  Flaw(String fault) {
    this(fault, -1, null);
  }

  Flaw(String fault, int number, String text) {
    super(number < 0 ? fault : fault + " " + number, null, false, false);
    this.fault = fault;
    this.text = text == null ? getMessage() : text;
  }

  static Flaw of(String fault, Field field, String text) {
    return new Flaw(fault, field.number(), field.name() + " " + text);
  }
}
