// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A key derivation function with its hash. */
public enum Derivation implements Numbered {
  /** one-step-sha256. */
  ONE_STEP_SHA256(1, "one-step-sha256"),
  /** one-step-sha384. */
  ONE_STEP_SHA384(2, "one-step-sha384"),
  /** one-step-sha512. */
  ONE_STEP_SHA512(3, "one-step-sha512"),
  /** x963-sha256. */
  X963_SHA256(4, "x963-sha256"),
  /** x963-sha384. */
  X963_SHA384(5, "x963-sha384"),
  /** x963-sha512. */
  X963_SHA512(6, "x963-sha512"),
  /** hkdf-sha256. */
  HKDF_SHA256(7, "hkdf-sha256"),
  /** hkdf-sha384. */
  HKDF_SHA384(8, "hkdf-sha384"),
  /** hkdf-sha512. */
  HKDF_SHA512(9, "hkdf-sha512");

  private final int number;
  private final String text;

  Derivation(int number, String text) {
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
