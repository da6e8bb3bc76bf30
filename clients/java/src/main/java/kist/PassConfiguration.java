// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** Which members a pass's payment data has: the columns of table 9-1 of Apple's guide. */
public enum PassConfiguration implements Numbered {
  /** account-number. */
  ACCOUNT_NUMBER(1, "account-number"),
  /** account-identifier. */
  ACCOUNT_IDENTIFIER(2, "account-identifier"),
  /** encrypted-account-number. */
  ENCRYPTED_ACCOUNT_NUMBER(3, "encrypted-account-number"),
  /** encrypted-account-number-unnamed. */
  ENCRYPTED_ACCOUNT_NUMBER_UNNAMED(4, "encrypted-account-number-unnamed");

  private final int number;
  private final String text;

  PassConfiguration(int number, String text) {
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
