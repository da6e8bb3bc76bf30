// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** Apple's token formats. */
public enum TokenVersion implements Numbered {
  /** EC_v1. */
  EC_V1(1, "EC_v1"),
  /** RSA_v1. */
  RSA_V1(2, "RSA_v1");

  private final int number;
  private final String text;

  TokenVersion(int number, String text) {
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
