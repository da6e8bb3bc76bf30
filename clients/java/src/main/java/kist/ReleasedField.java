// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A field of an opened token that policy can release. */
public enum ReleasedField implements Numbered {
  /** dpan. */
  DPAN(1, "dpan"),
  /** last4. */
  LAST4(2, "last4"),
  /** bin. */
  BIN(3, "bin"),
  /** network. */
  NETWORK(4, "network"),
  /** expiry. */
  EXPIRY(5, "expiry"),
  /** currency. */
  CURRENCY(6, "currency"),
  /** amount. */
  AMOUNT(7, "amount"),
  /** cryptogram. */
  CRYPTOGRAM(8, "cryptogram"),
  /** eci. */
  ECI(9, "eci"),
  /** payment-data-type. */
  PAYMENT_DATA_TYPE(10, "payment-data-type"),
  /** device-manufacturer. */
  DEVICE_MANUFACTURER(11, "device-manufacturer"),
  /** emv-data. */
  EMV_DATA(12, "emv-data"),
  /** encrypted-pin. */
  ENCRYPTED_PIN(13, "encrypted-pin"),
  /** cardholder-name. */
  CARDHOLDER_NAME(14, "cardholder-name"),
  /** authentication-responses. */
  AUTHENTICATION_RESPONSES(15, "authentication-responses"),
  /** merchant-token. */
  MERCHANT_TOKEN(16, "merchant-token"),
  /** raw. */
  RAW(17, "raw"),
  /** surrogate. */
  SURROGATE(20, "surrogate"),
  /** envelope. */
  ENVELOPE(21, "envelope"),
  /** Follows from the grant, and is never asked for. */
  JWE(22, "jwe");

  private final int number;
  private final String text;

  ReleasedField(int number, String text) {
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
