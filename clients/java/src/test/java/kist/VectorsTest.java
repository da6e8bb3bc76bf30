package kist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The golden vectors of PROTOCOL.md section 10, and the table of Apple's JSON that all clients read. */
final class VectorsTest {
  private static final Path VECTORS = Path.of("../../proto/vectors");
  private static final HexFormat HEX = HexFormat.of();

  private static final class Vector {
    String name;
    String message = "";
    String frame = "";
    String expect;
    String error;
    final List<String> fields = new ArrayList<>();
    byte[] bytes;

    static Vector read(Path path) throws IOException {
      Vector vector = new Vector();
      vector.name = path.getFileName().toString();
      StringBuilder hex = new StringBuilder();
      for (String line : Files.readString(path).stripTrailing().split("\n")) {
        String key = line.substring(0, line.indexOf(':'));
        String value = line.substring(key.length() + 1).replaceFirst("^ ", "");
        switch (key) {
          case "field" -> vector.fields.add(value);
          case "bytes" -> hex.append(value);
          case "message" -> vector.message = value;
          case "frame" -> vector.frame = value;
          case "expect" -> vector.expect = value;
          case "error" -> vector.error = value;
          case "comment" -> { }
          default -> throw new IllegalStateException(line);
        }
      }
      vector.bytes = HEX.parseHex(hex);
      return vector;
    }

    /** Requests are refused by daemons alone, and messages of operators' operations read by their programs. */
    boolean isOurs() {
      return frame.equals("request") ? expect.equals("ok") : message.isEmpty() || Messages.MESSAGES.containsKey(message);
    }
  }

  private static List<Vector> vectors() throws IOException {
    List<Vector> vectors = new ArrayList<>();
    try (Stream<Path> paths = Files.list(VECTORS)) {
      for (Path path : paths.filter(each -> each.toString().endsWith(".txt")).sorted().toList()) {
        Vector vector = Vector.read(path);
        if (vector.isOurs()) vectors.add(vector);
      }
    }
    return vectors;
  }

  @TestFactory
  Stream<DynamicTest> vector() throws IOException {
    return vectors().stream().map(vector -> DynamicTest.dynamicTest(vector.name, () -> check(vector)));
  }

  @Test
  void everyVector() throws IOException {
    List<Vector> vectors = vectors();
    assertTrue(vectors.size() >= 343, "there are " + vectors.size());
    for (String name : Messages.MESSAGES.keySet()) assertTrue(vectors.stream().anyMatch(vector -> vector.message.equals(name)), name);
  }

  private static void check(Vector vector) throws Flaw {
    if (vector.expect.equals("malformed")) {
      assertEquals(vector.error, fault(vector));
    } else if (vector.frame.equals("request")) {
      assertArrayEquals(vector.bytes, requests(vector.fields));
    } else if (!vector.frame.isEmpty()) {
      assertEquals(vector.fields, frames(vector.bytes));
    } else {
      Message message = Messages.MESSAGES.get(vector.message).get();
      Reader.decode(message, vector.bytes, 0, vector.bytes.length);
      Lister lister = new Lister("");
      message.visit(lister);
      assertEquals(vector.fields, lister.lines);
      assertArrayEquals(vector.bytes, Writer.encode(message));
    }
  }

  private static String fault(Vector vector) {
    try {
      if (vector.frame.isEmpty()) Reader.decode(Messages.MESSAGES.get(vector.message).get(), vector.bytes, 0, vector.bytes.length);
      else frames(vector.bytes);
      return "ok";
    } catch (Flaw flaw) {
      return flaw.getMessage();
    } catch (ReplyException error) {
      return "frame-size";
    }
  }

  /** Frame behind frame, as a client reads them. */
  private static List<String> frames(byte[] bytes) throws Flaw {
    List<String> lines = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    for (int index = 0; rest.hasRemaining(); index++) {
      if (rest.remaining() < 4) throw new Flaw("truncated");
      int length = Frames.checkedLength(rest.getInt());
      if (rest.remaining() < Frames.REPLY_HEADER_SIZE) throw new Flaw("truncated");
      byte[] frame = new byte[Math.min(length, rest.remaining())];
      rest.get(frame);
      Frames.Header header = Frames.Header.read(frame);
      if (frame.length < length) throw new Flaw("truncated");
      String place = "frame[" + index + "].";
      lines.add(place + "status = " + header.status().number());
      lines.add(place + "opcode = " + header.opcode());
      lines.add(place + "request_id = " + Long.toUnsignedString(header.requestId()));
      lines.add(place + "audit_sequence = " + Long.toUnsignedString(header.auditSequence()));
      lines.add(place + "body = hex:" + HEX.formatHex(frame, Frames.REPLY_HEADER_SIZE, frame.length));
    }
    return lines;
  }

  /** A client writes requests and never reads one: the bytes that come of what is listed. */
  private static byte[] requests(List<String> fields) {
    StringBuilder hex = new StringBuilder();
    for (int at = 0; at < fields.size(); at += 5) {
      String[] parts = fields.subList(at, at + 5).stream().map(line -> line.replaceFirst("^.* = (hex:)?", "")).toArray(String[]::new);
      hex.append(HEX.formatHex(Frames.request(
          Integer.parseInt(parts[1]), Long.parseUnsignedLong(parts[2]), HEX.parseHex(parts[3]), HEX.parseHex(parts[4]), Integer.parseInt(parts[0]))));
    }
    return HEX.parseHex(hex);
  }

  /** Lists what was decoded as the vectors do. */
  private static final class Lister implements Visitor {
    final List<String> lines = new ArrayList<>();
    private final String prefix;

    Lister(String prefix) {
      this.prefix = prefix;
    }

    private String path(Field field) {
      return prefix + field.name().replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT);
    }

    private <V> V add(Field field, V value, boolean isThere, Supplier<String> shown) {
      if (isThere) lines.add(path(field) + " = " + shown.get());
      return value;
    }

    @Override
    public byte[] bytes(Field field, byte[] value) {
      return add(field, value, Message.isPresent(value), () -> "hex:" + HEX.formatHex(value));
    }

    @Override
    public String text(Field field, String value) {
      return add(field, value, Message.isPresent(value), () -> "text:" + value);
    }

    @Override
    public Secret secret(Field field, Secret value) {
      return add(field, value, value != null, () -> "hex:" + HEX.formatHex(value.bytes()));
    }

    @Override
    public Secret secretText(Field field, Secret value) {
      return add(field, value, value != null, () -> "text:" + value.text());
    }

    @Override
    public long number(Field field, long value) {
      return add(field, value, value != 0, () -> Long.toUnsignedString(value));
    }

    @Override
    public Long optional(Field field, Long value) {
      return add(field, value, value != null, () -> Long.toUnsignedString(value));
    }

    @Override
    public boolean flag(Field field, boolean value) {
      return add(field, value, value, () -> "true");
    }

    @Override
    public <E extends Enum<E> & Numbered> E enumeration(Field field, E value, E[] values) {
      return add(field, value, value != null, () -> String.valueOf(value.number()));
    }

    @Override
    public <E extends Enum<E> & Numbered> List<E> set(Field field, List<E> value, E[] values) {
      for (int i = 0; i < value.size(); i++) lines.add(path(field) + "[" + i + "] = " + value.get(i).number());
      return value;
    }

    @Override
    public List<String> texts(Field field, List<String> value) {
      for (int i = 0; i < value.size(); i++) lines.add(path(field) + "[" + i + "] = text:" + value.get(i));
      return value;
    }

    @Override
    public List<byte[]> blobs(Field field, List<byte[]> value) {
      for (int i = 0; i < value.size(); i++) lines.add(path(field) + "[" + i + "] = hex:" + HEX.formatHex(value.get(i)));
      return value;
    }

    @Override
    public <M extends Message> M nested(Field field, M value, Supplier<M> make) {
      if (value != null) within(path(field) + ".", value);
      return value;
    }

    @Override
    public <M extends Message> List<M> list(Field field, List<M> value, Supplier<M> make) {
      for (int i = 0; i < value.size(); i++) within(path(field) + "[" + i + "].", value.get(i));
      return value;
    }

    private void within(String path, Message message) {
      Lister inner = new Lister(path);
      message.visit(inner);
      lines.addAll(inner.lines);
    }
  }

  @TestFactory
  Stream<DynamicTest> tokenTable() throws IOException {
    List<String[]> rows = Files.readAllLines(VECTORS.resolve("payment-token-json.table")).stream()
        .filter(line -> !line.isEmpty() && line.charAt(0) != '#').map(line -> line.split(" \\| ", 3)).toList();
    assertEquals(121, rows.size());
    PaymentToken small = Token.unwrapped(rows.get(0)[2], 8);
    assertEquals("publicKeyHash has 2 bytes; it takes 32", assertThrows(TokenException.class, () -> Token.fromApple(rows.get(0)[2])).getMessage()); // [WIRE-12]
    assertThrows(TokenException.class, () -> Token.fromApple("\ud800"));
    assertEquals(TokenVersion.EC_V1, small.version());
    return rows.stream().map(row -> DynamicTest.dynamicTest(row[1], () -> checkToken(row[0], row[2])));
  }

  private static void checkToken(String outcome, String text) {
    byte[] octets = text.startsWith("hex:") ? HEX.parseHex(text.substring(4)) : text.getBytes(StandardCharsets.UTF_8);
    if (outcome.equals("ok")) {
      PaymentToken token = Token.unwrapped(octets, 8);
      List<String> hex = Stream.of(token.data(), token.signature(), token.publicKeyHash(), token.transactionId(), token.ephemeralPublicKey()).map(HEX::formatHex).toList();
      assertEquals(List.of("000102ff", "3080", "abcd", "00ff", "3059"), hex);
      assertTrue(token.applicationData() == null && token.wrappedKey() == null);
      return;
    }
    String[] words = Arrays.copyOf(outcome.split(" "), 2);
    String expected = switch (words[0]) {
      case "not-json" -> "neither JSON nor base64 of JSON";
      case "not-token" -> "JSON, but no token|no token within so many objects";
      case "unknown-version" -> "neither EC_v1 nor RSA_v1";
      case "simulator" -> "a token of Apple's simulator: nothing can open it";
      case "missing" -> "the token has no " + words[1];
      case "malformed" -> words[1] + " is not (base64|hexadecimal|text|an object)";
      case "empty" -> words[1] + " is empty";
      default -> throw new IllegalStateException(outcome);
    };
    String said = assertThrows(TokenException.class, () -> Token.fromApple(octets)).getMessage();
    assertTrue(said.matches(expected), said);
  }
}
