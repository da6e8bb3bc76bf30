// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** How a pass is encrypted. */
public enum EncryptionScheme implements Numbered {
  /** ev-ecc-v2. */
  EV_ECC_V2(1, "ev-ecc-v2"),
  /** Always refused. */
  EV_RSA_V2(2, "ev-rsa-v2");

  private final int number;
  private final String text;

  EncryptionScheme(int number, String text) {
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
