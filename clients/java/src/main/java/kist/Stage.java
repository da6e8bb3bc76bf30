// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** The check at which a request was rejected. */
public enum Stage implements Numbered {
  /** format. */
  FORMAT(1, "format"),
  /** version. */
  VERSION(2, "version"),
  /** cms. */
  CMS(3, "cms"),
  /** leaf-marker. */
  LEAF_MARKER(4, "leaf-marker"),
  /** intermediate-marker. */
  INTERMEDIATE_MARKER(5, "intermediate-marker"),
  /** extra-certificate. */
  EXTRA_CERTIFICATE(6, "extra-certificate"),
  /** chain. */
  CHAIN(7, "chain"),
  /** signer. */
  SIGNER(8, "signer"),
  /** algorithm. */
  ALGORITHM(9, "algorithm"),
  /** signed-attributes. */
  SIGNED_ATTRIBUTES(10, "signed-attributes"),
  /** message-digest. */
  MESSAGE_DIGEST(11, "message-digest"),
  /** signature. */
  SIGNATURE(12, "signature"),
  /** certificate-validity. */
  CERTIFICATE_VALIDITY(13, "certificate-validity"),
  /** signing-time. */
  SIGNING_TIME(14, "signing-time"),
  /** public-key-hash. */
  PUBLIC_KEY_HASH(15, "public-key-hash"),
  /** replay. */
  REPLAY(16, "replay"),
  /** key-agreement. */
  KEY_AGREEMENT(17, "key-agreement"),
  /** tag. */
  TAG(18, "tag"),
  /** plaintext. */
  PLAINTEXT(19, "plaintext"),
  /** expectation. */
  EXPECTATION(20, "expectation"),
  /** passphrase. */
  PASSPHRASE(21, "passphrase"),
  /** key-import. */
  KEY_IMPORT(22, "key-import"),
  /** key-state. */
  KEY_STATE(23, "key-state"),
  /** own-request. */
  OWN_REQUEST(24, "own-request"),
  /** unknown-request. */
  UNKNOWN_REQUEST(25, "unknown-request"),
  /** key-block. */
  KEY_BLOCK(26, "key-block"),
  /** key-export. */
  KEY_EXPORT(27, "key-export"),
  /** not-released. */
  NOT_RELEASED(28, "not-released"),
  /** peer-key. */
  PEER_KEY(30, "peer-key"),
  /** parameters. */
  PARAMETERS(31, "parameters"),
  /** envelope. */
  ENVELOPE(32, "envelope"),
  /** invocations. */
  INVOCATIONS(33, "invocations"),
  /** mac. */
  MAC(34, "mac"),
  /** unwrap. */
  UNWRAP(35, "unwrap"),
  /** encryption-scheme. */
  ENCRYPTION_SCHEME(50, "encryption-scheme"),
  /** missing-field. */
  MISSING_FIELD(51, "missing-field"),
  /** surplus-field. */
  SURPLUS_FIELD(52, "surplus-field"),
  /** field-value. */
  FIELD_VALUE(53, "field-value"),
  /** issuer-certificate. */
  ISSUER_CERTIFICATE(54, "issuer-certificate"),
  /** issuer-leaf-marker. */
  ISSUER_LEAF_MARKER(55, "issuer-leaf-marker"),
  /** issuer-chain-length. */
  ISSUER_CHAIN_LENGTH(56, "issuer-chain-length"),
  /** issuer-intermediate-marker. */
  ISSUER_INTERMEDIATE_MARKER(57, "issuer-intermediate-marker"),
  /** issuer-intermediate-name. */
  ISSUER_INTERMEDIATE_NAME(58, "issuer-intermediate-name"),
  /** issuer-chain. */
  ISSUER_CHAIN(59, "issuer-chain"),
  /** issuer-key-usage. */
  ISSUER_KEY_USAGE(60, "issuer-key-usage"),
  /** issuer-critical-extension. */
  ISSUER_CRITICAL_EXTENSION(61, "issuer-critical-extension"),
  /** issuer-leaf-curve. */
  ISSUER_LEAF_CURVE(62, "issuer-leaf-curve"),
  /** issuer-validity. */
  ISSUER_VALIDITY(63, "issuer-validity"),
  /** otp-input. */
  OTP_INPUT(64, "otp-input"),
  /** otp-key-expired. */
  OTP_KEY_EXPIRED(65, "otp-key-expired"),
  /** otp-code. */
  OTP_CODE(66, "otp-code"),
  /** otp-locked. */
  OTP_LOCKED(67, "otp-locked"),
  /** otp-not-restored. */
  OTP_NOT_RESTORED(68, "otp-not-restored"),
  /** otp-home. */
  OTP_HOME(69, "otp-home"),
  /** stand-in-key. */
  STAND_IN_KEY(70, "stand-in-key"),
  /** pan. */
  PAN(71, "pan"),
  /** stand-in. */
  STAND_IN(72, "stand-in"),
  /** expired. */
  EXPIRED(73, "expired"),
  /** envelope-used. */
  ENVELOPE_USED(74, "envelope-used"),
  /** partner-key. */
  PARTNER_KEY(75, "partner-key"),
  /** claims. */
  CLAIMS(76, "claims"),
  /** checkpoint. */
  CHECKPOINT(80, "checkpoint"),
  /** share-form. */
  SHARE_FORM(90, "share-form"),
  /** share-register. */
  SHARE_REGISTER(92, "share-register"),
  /** share-split. */
  SHARE_SPLIT(93, "share-split"),
  /** share-holder. */
  SHARE_HOLDER(94, "share-holder"),
  /** share-duplicate. */
  SHARE_DUPLICATE(95, "share-duplicate"),
  /** share-holder-twice. */
  SHARE_HOLDER_TWICE(96, "share-holder-twice"),
  /** share-surplus. */
  SHARE_SURPLUS(97, "share-surplus"),
  /** share-combination. */
  SHARE_COMBINATION(98, "share-combination"),
  /** share-cool-down. */
  SHARE_COOL_DOWN(99, "share-cool-down"),
  /** other-kek. */
  OTHER_KEK(100, "other-kek"),
  /** backup. */
  BACKUP(101, "backup");

  private final int number;
  private final String text;

  Stage(int number, String text) {
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
