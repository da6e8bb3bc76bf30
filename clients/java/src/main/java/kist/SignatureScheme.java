// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/**
 * A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER.
 */
public enum SignatureScheme implements Numbered {
  /** ecdsa-p256-sha256. */
  ECDSA_P256_SHA256(1, "ecdsa-p256-sha256"),
  /** ecdsa-p384-sha384. */
  ECDSA_P384_SHA384(2, "ecdsa-p384-sha384"),
  /** ecdsa-p256-sha256-fixed. */
  ECDSA_P256_SHA256_FIXED(3, "ecdsa-p256-sha256-fixed"),
  /** ecdsa-p384-sha384-fixed. */
  ECDSA_P384_SHA384_FIXED(4, "ecdsa-p384-sha384-fixed"),
  /** rsa-pkcs1-sha256. */
  RSA_PKCS1_SHA256(5, "rsa-pkcs1-sha256"),
  /** rsa-pkcs1-sha384. */
  RSA_PKCS1_SHA384(6, "rsa-pkcs1-sha384"),
  /** rsa-pkcs1-sha512. */
  RSA_PKCS1_SHA512(7, "rsa-pkcs1-sha512"),
  /** rsa-pss-sha256. */
  RSA_PSS_SHA256(8, "rsa-pss-sha256"),
  /** rsa-pss-sha384. */
  RSA_PSS_SHA384(9, "rsa-pss-sha384"),
  /** rsa-pss-sha512. */
  RSA_PSS_SHA512(10, "rsa-pss-sha512"),
  /** ed25519. */
  ED25519(11, "ed25519");

  private final int number;
  private final String text;

  SignatureScheme(int number, String text) {
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
