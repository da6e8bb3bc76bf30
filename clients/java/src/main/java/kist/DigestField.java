// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** What stands in the audit log as a keyed digest only. */
public enum DigestField implements Numbered {
  /** transaction. */
  TRANSACTION(1, "transaction"),
  /** pan. */
  PAN(2, "pan"),
  /** subject. */
  SUBJECT(3, "subject");

  private final int number;
  private final String text;

  DigestField(int number, String text) {
    this.number = number;
    this.text = text;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String text() {
    return text;
  }
}
