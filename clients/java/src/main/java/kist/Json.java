package kist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON (RFC 8259) as strictly as the daemon's own programs: unambiguous and bounded. An object is a map, a number, which no token has, is 0. It is refused if it names a
 * member twice, has half a surrogate pair, or more or deeper values than the bounds allow.
 */
final class Json {
  private static final int DEPTH = 16;
  private static final int VALUES = 1024;
  private static final int MEMBERS = 64;

  /** It is no JSON, ambiguous, or too large. */
  static final class JsonException extends Exception {
    private static final long serialVersionUID = 1;

    JsonException(String message) {
      super(message, null, false, false);
    }
  }

  private final String text;
  private int at;
  private int count;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) throws JsonException {
    Json json = new Json(text);
    Object value = json.value(0);
    json.skipSpace();
    if (json.at != text.length()) throw new JsonException("text behind");
    return value;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  /** The next sign, or 0 at the end. */
  private char peek() {
    skipSpace();
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void expect(char sign) throws JsonException {
    if (peek() != sign) throw new JsonException("no " + sign);
    at++;
  }

  private void add() throws JsonException {
    if (++count > VALUES) throw new JsonException("too many values");
  }

  private Object value(int depth) throws JsonException {
    add();
    switch (peek()) {
      case '{':
        return members(nested(depth));
      case '[':
        return elements(nested(depth));
      case '"':
        return string();
      default:
        return scalar();
    }
  }

  private static int nested(int depth) throws JsonException {
    if (depth == DEPTH) throw new JsonException("too deep");
    return depth + 1;
  }

  private Map<String, Object> members(int depth) throws JsonException {
    Map<String, Object> found = new LinkedHashMap<>();
    at++;
    if (peek() == '}') {
      at++;
      return found;
    }
    while (true) {
      if (peek() != '"') throw new JsonException("no name");
      add();
      String name = string();
      expect(':');
      if (found.containsKey(name) || found.size() == MEMBERS) throw new JsonException("a name is there twice, or there are too many");
      found.put(name, value(depth));
      if (peek() == '}') break;
      expect(',');
    }
    at++;
    return found;
  }

  private List<Object> elements(int depth) throws JsonException {
    List<Object> found = new ArrayList<>();
    at++;
    if (peek() == ']') {
      at++;
      return found;
    }
    while (true) {
      found.add(value(depth));
      if (peek() == ']') break;
      expect(',');
    }
    at++;
    return found;
  }

  private String string() throws JsonException {
    StringBuilder found = new StringBuilder();
    for (at++; ; ) {
      if (at >= text.length()) throw new JsonException("no end");
      char sign = text.charAt(at++);
      if (sign == '"') break;
      if (sign < 0x20) throw new JsonException("a control character");
      found.append(sign == '\\' ? escaped() : sign);
    }
    if (hasHalfPair(found)) throw new JsonException("half a surrogate pair");
    return found.toString();
  }

  private char escaped() throws JsonException {
    if (at >= text.length()) throw new JsonException("no end");
    char sign = text.charAt(at++);
    int index = "\"\\/bfnrt".indexOf(sign);
    if (index >= 0) return "\"\\/\b\f\n\r\t".charAt(index);
    if (sign != 'u' || at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9A-Fa-f]{4}")) throw new JsonException("no escape");
    at += 4;
    return (char) Integer.parseInt(text.substring(at - 4, at), 16);
  }

  private static boolean hasHalfPair(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      if (!Character.isSurrogate(text.charAt(i))) continue;
      if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) return true;
      i++;
    }
    return false;
  }

  private Object scalar() throws JsonException {
    int start = at;
    while (at < text.length() && "+-.".indexOf(text.charAt(at)) >= 0 || at < text.length() && Character.isLetterOrDigit(text.charAt(at))) at++;
    String word = text.substring(start, at);
    switch (word) {
      case "true":
        return true;
      case "false":
        return false;
      case "null":
        return null;
      default:
        if (!word.matches("-?(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")) throw new JsonException("no value");
        return 0;
    }
  }
}
