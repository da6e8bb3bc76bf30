// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message authentication code, for a key behind a handle. */
public enum MacAlgorithm implements Numbered {
  /** hmac-sha256. */
  HMAC_SHA256(1, "hmac-sha256"),
  /** hmac-sha384. */
  HMAC_SHA384(2, "hmac-sha384"),
  /** hmac-sha512. */
  HMAC_SHA512(3, "hmac-sha512"),
  /** aes-cmac. */
  AES_CMAC(4, "aes-cmac");

  private final int number;
  private final String text;

  MacAlgorithm(int number, String text) {
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
