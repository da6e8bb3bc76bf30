package kist;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Set;

/** JWS in compact serialisation (RFC 7515 §7.1), signed by the daemon: what a partner asks for, and no more of JOSE. */
public final class Jws {
  private static final Set<String> TEXTS = Set.of("kid", "typ", "cty", "iss", "aud");
  private static final Set<String> NUMBERS = Set.of("iat", "exp", "nbf");
  /** ECDSA signatures are r ‖ s (RFC 7518 §3.4). */
  private static final Map<SignatureScheme, String> ALGORITHMS = Map.of(
      SignatureScheme.ECDSA_P256_SHA256_FIXED, "ES256", SignatureScheme.ECDSA_P384_SHA384_FIXED, "ES384", SignatureScheme.RSA_PKCS1_SHA256, "RS256",
      SignatureScheme.RSA_PSS_SHA256, "PS256", SignatureScheme.ED25519, "EdDSA");

  private Jws() {}

  /**
   * What {@code sign} signs: header and payload.
   *
   * @param scheme by which
   * @param header its members besides {@code alg}: texts of printable ASCII without quotes, and times as numbers
   * @param payload what is signed
   * @return the bytes to sign
   * @throws IllegalArgumentException for a scheme that JWS has no name for, or a member that may not be there
   */
  public static byte[] input(SignatureScheme scheme, Map<String, ?> header, byte[] payload) {
    if (!ALGORITHMS.containsKey(scheme)) throw new IllegalArgumentException("a JWS has no signature by " + scheme.text());
    StringBuilder text = new StringBuilder("{\"alg\":\"").append(ALGORITHMS.get(scheme)).append('"');
    new java.util.TreeMap<>(header).forEach((name, value) -> text.append(",\"").append(name).append("\":").append(member(name, value)));
    return (encoded(text.append('}').toString().getBytes(StandardCharsets.UTF_8)) + "." + encoded(payload)).getBytes(StandardCharsets.US_ASCII);
  }

  private static String member(String name, Object value) {
    if (TEXTS.contains(name) && value instanceof String text && text.matches("[ -~&&[^\"\\\\]]*")) return "\"" + text + "\"";
    if (NUMBERS.contains(name) && value instanceof Long number && number >= 0) return number.toString();
    throw new IllegalArgumentException("a JWS's header has no such " + name + " here");
  }

  /**
   * The JWS of such an input and its signature.
   *
   * @param signed the input
   * @param signature the daemon's
   * @return the JWS
   */
  public static String compact(byte[] signed, byte[] signature) {
    return new String(signed, StandardCharsets.US_ASCII) + "." + encoded(signature);
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
