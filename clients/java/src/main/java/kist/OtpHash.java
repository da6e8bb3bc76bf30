// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** The hash of a counted or timed code. */
public enum OtpHash implements Numbered {
  /** sha1. */
  SHA1(1, "sha1"),
  /** sha256. */
  SHA256(2, "sha256"),
  /** sha512. */
  SHA512(3, "sha512");

  private final int number;
  private final String text;

  OtpHash(int number, String text) {
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
