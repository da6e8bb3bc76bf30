package kist;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;

/** Makes a payment token of what Apple's frameworks give. */
public final class Token {
  /** How many objects and base64 texts may be nested around the token itself. */
  private static final int WRAPPINGS = 8;
  private static final int TEXT_MOST = 512 * 1024;
  private static final String NEITHER = "neither JSON nor base64 of JSON";
  private static final String SIMULATOR = "a token of Apple's simulator: nothing can open it";

  private Token() {}

  /**
   * The id of the key that a token is for.
   *
   * @param token the token
   * @return the first half of its {@code publicKeyHash}
   */
  public static KeyId keyOf(PaymentToken token) {
    return new KeyId(java.util.Arrays.copyOf(token.publicKeyHash(), 16));
  }

  /**
   * Unpacks the JSON of {@code paymentData}, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, or base64 of it.
   *
   * @param text the JSON
   * @return the token, not yet verified
   * @throws TokenException if it is none of these, or of Apple's simulator, or if a part has a size that no token's has
   */
  public static PaymentToken fromApple(String text) {
    return checked(unwrapped(text, WRAPPINGS));
  }

  /**
   * The same of bytes, which are UTF-8.
   *
   * @param text the JSON
   * @return the token, not yet verified
   * @throws TokenException as for text
   */
  public static PaymentToken fromApple(byte[] text) {
    return checked(unwrapped(text, WRAPPINGS));
  }

  private static PaymentToken checked(PaymentToken token) {
    try {
      Writer.encode(token);
      return token;
    } catch (Flaw flaw) {
      throw new TokenException(flaw.text);
    }
  }

  /** The same without the check of sizes, for the table of all clients. */
  static PaymentToken unwrapped(Object value, int wrappings) {
    if (wrappings == 0) throw new TokenException("no token within so many objects");
    if (value instanceof byte[] octets) return unwrapped(decoded(octets), wrappings);
    if (value instanceof String text) {
      Object inner = parsed(text);
      return unwrapped(inner, inner instanceof Map ? wrappings : wrappings - 1);
    }
    if (!(value instanceof Map<?, ?> members)) throw new TokenException(value == null ? SIMULATOR : "JSON, but no token");
    for (String name : new String[] {"paymentData", "token", "details", "payment"}) {
      if (members.containsKey(name)) return unwrapped(members.get(name), wrappings - 1);
    }
    return token(members);
  }

  private static String decoded(byte[] octets) {
    if (octets.length > TEXT_MOST) throw new TokenException("more than " + TEXT_MOST + " bytes");
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets)).toString();
    } catch (CharacterCodingException error) {
      throw new TokenException(NEITHER);
    }
  }

  /** JSON, or base64 of more. */
  private static Object parsed(String given) {
    if (given.length() > TEXT_MOST) throw new TokenException("more than " + TEXT_MOST + " bytes");
    String text = given.replaceAll("^[ \\t\\r\\n]+|[ \\t\\r\\n]+$", "");
    if (text.isEmpty()) throw new TokenException(SIMULATOR);
    try {
      return text.charAt(0) == '{' || text.charAt(0) == '"' ? Json.parse(text) : canonical(text);
    } catch (Json.JsonException | IllegalArgumentException error) {
      throw new TokenException(NEITHER);
    }
  }

  private static PaymentToken token(Map<?, ?> members) {
    if (members.isEmpty()) throw new TokenException(SIMULATOR);
    PaymentToken token = new PaymentToken();
    String name = text(members, "version");
    for (TokenVersion each : TokenVersion.values()) if (each.text().equals(name)) token.version(each);
    if (token.version() == null) throw new TokenException("neither EC_v1 nor RSA_v1");
    byte[] data = base64(members, "data");
    byte[] signature = base64(members, "signature");
    if (data.length + signature.length == 0) throw new TokenException(SIMULATOR);
    if (data.length == 0) throw new TokenException("data is empty");
    if (signature.length == 0) throw new TokenException("signature is empty");
    if (!(member(members, "header") instanceof Map<?, ?> header)) throw new TokenException("header is not an object");
    token.data(data).signature(signature).publicKeyHash(base64(header, "publicKeyHash")).transactionId(hex(header, "transactionId"));
    // Serialisers of optional fields write null where Apple writes nothing.
    if (header.get("applicationData") != null) token.applicationData(hex(header, "applicationData"));
    return token.version() == TokenVersion.EC_V1 ? token.ephemeralPublicKey(base64(header, "ephemeralPublicKey")) : token.wrappedKey(base64(header, "wrappedKey"));
  }

  private static Object member(Map<?, ?> members, String name) {
    if (!members.containsKey(name)) throw new TokenException("the token has no " + name);
    return members.get(name);
  }

  private static String text(Map<?, ?> members, String name) {
    if (member(members, name) instanceof String text) return text;
    throw new TokenException(name + " is not text");
  }

  private static byte[] base64(Map<?, ?> members, String name) {
    try {
      return canonical(text(members, name));
    } catch (IllegalArgumentException error) {
      throw new TokenException(name + " is not base64");
    }
  }

  /** Base64 with its padding, and zeros in the unused bits, so that no two texts mean the same bytes. */
  private static byte[] canonical(String text) {
    byte[] octets = Base64.getDecoder().decode(text);
    if (!Base64.getEncoder().encodeToString(octets).equals(text)) throw new IllegalArgumentException("not canonical");
    return octets;
  }

  private static byte[] hex(Map<?, ?> members, String name) {
    try {
      return HexFormat.of().parseHex(text(members, name));
    } catch (IllegalArgumentException error) {
      throw new TokenException(name + " is not hexadecimal");
    }
  }
}
