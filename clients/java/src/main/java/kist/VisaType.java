// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** What a value for Visa Token Service is for. */
public enum VisaType implements Numbered {
  /** mbpac. */
  MBPAC(1, "mbpac"),
  /** mbpad. */
  MBPAD(2, "mbpad"),
  /** mpac. */
  MPAC(3, "mpac"),
  /** mpad. */
  MPAD(4, "mpad");

  private final int number;
  private final String text;

  VisaType(int number, String text) {
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
