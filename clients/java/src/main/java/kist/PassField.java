// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A field of a provisioning request that a rejection is about. */
public enum PassField implements Numbered {
  /** encrypted-primary-account-number. */
  ENCRYPTED_PRIMARY_ACCOUNT_NUMBER(1, "encrypted-primary-account-number"),
  /** expiration. */
  EXPIRATION(2, "expiration"),
  /** name. */
  NAME(3, "name"),
  /** network-name. */
  NETWORK_NAME(4, "network-name"),
  /** nonce. */
  NONCE(5, "nonce"),
  /** nonce-signature. */
  NONCE_SIGNATURE(6, "nonce-signature"),
  /** primary-account-identifier. */
  PRIMARY_ACCOUNT_IDENTIFIER(7, "primary-account-identifier"),
  /** primary-account-number. */
  PRIMARY_ACCOUNT_NUMBER(8, "primary-account-number"),
  /** primary-account-number-prefix. */
  PRIMARY_ACCOUNT_NUMBER_PREFIX(9, "primary-account-number-prefix"),
  /** product-type. */
  PRODUCT_TYPE(10, "product-type"),
  /** account-envelope. */
  ACCOUNT_ENVELOPE(11, "account-envelope"),
  /** activation. */
  ACTIVATION(12, "activation"),
  /** account-surrogate. */
  ACCOUNT_SURROGATE(13, "account-surrogate");

  private final int number;
  private final String text;

  PassField(int number, String text) {
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
