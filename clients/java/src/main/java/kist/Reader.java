package kist;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Takes a body apart by the rules of PROTOCOL.md section 3: each message has one encoding, all others are refused [WIRE-3]. What it gives is a copy, so that the body can be
 * wiped. After a flaw it does nothing more.
 */
final class Reader implements Visitor {
  private static final int VARINT = 0;
  private static final int DELIMITED = 2;
  private static final long UINT32_MOST = 0xFFFFFFFFL;

  private final byte[] body;
  private final int end;
  private int at;
  private Flaw flaw;
  /** Of a number that is none of an enum's, or of a size that is none: told if nothing else is wrong. */
  private int narrow;

  private Reader(byte[] body, int at, int end) {
    this.body = body;
    this.at = at;
    this.end = end;
  }

  /** Fills a message from a whole body. Where it throws, the message has what stands in front of the flaw. */
  static void decode(Message message, byte[] body, int at, int end) throws Flaw {
    Reader reader = new Reader(body, at, end);
    message.visit(reader);
    reader.finish();
    if (reader.flaw != null) throw reader.flaw;
    int number = reader.narrow != 0 ? reader.narrow : message.atFault();
    if (number != 0) throw new Flaw("bad-value", number, null);
  }

  private void fail(String fault, int number) {
    if (flaw == null) flaw = new Flaw(fault, number, null);
  }

  private void finish() {
    if (flaw != null || at == end) return;
    long tag = tag();
    if (flaw == null) fail("unexpected-field", (int) (tag >>> 3));
    else flaw = new Flaw("trailing-bytes");
  }

  private long varint() {
    long number = 0;
    for (int i = 0; i < 10; i++) {
      if (at == end) {
        fail("truncated", -1);
        return 0;
      }
      int octet = body[at++] & 0xFF;
      if (i == 9 && octet > 1) break; // has room for one bit
      number |= (long) (octet & 0x7F) << (7 * i);
      if ((octet & 0x80) != 0) continue;
      if (octet == 0 && i > 0) break;
      return number;
    }
    fail("varint", -1);
    return 0;
  }

  private long tag() {
    long tag = varint();
    if (tag < 0 || tag > UINT32_MOST) fail("varint", -1);
    return tag;
  }

  /** Whether this field is next; takes its tag. */
  private boolean takes(Field field, int wire, boolean isRequired) {
    if (flaw != null) return false;
    int before = at;
    long tag = at == end ? Long.MAX_VALUE : tag();
    if (flaw != null) return false;
    long number = tag >>> 3;
    if (number < field.number()) {
      fail("unexpected-field", (int) number);
    } else if (number > field.number()) {
      at = before;
      if (isRequired) fail("bad-value", field.number());
    } else if ((tag & 7) != wire) {
      fail("wire-type", (int) number);
    } else {
      return true;
    }
    return false;
  }

  private boolean takes(Field field, int wire) {
    return takes(field, wire, field.isRequired());
  }

  /** A part of the body, or -1; {@code at} stands behind it. */
  private int delimited(Field field, boolean isRequired) {
    if (!takes(field, DELIMITED, isRequired)) return -1;
    long length = varint();
    if (flaw != null) return -1;
    if (length < 0 || length > end - at) fail("truncated", -1);
    else if (length > field.most()) fail("too-long", field.number());
    else if (length == 0 && field.presence() != Field.Presence.REPEATED) fail("explicit-default", field.number());
    if (flaw != null) return -1;
    at += (int) length;
    return at - (int) length;
  }

  @Override
  public byte[] bytes(Field field, byte[] value) {
    int start = delimited(field, field.isRequired());
    if (start < 0) return value;
    if (at - start < field.least()) fail("bad-value", field.number());
    if (!field.hasSize(at - start) && narrow == 0) narrow = field.number();
    return Arrays.copyOfRange(body, start, at);
  }

  @Override
  public String text(Field field, String value) {
    byte[] octets = bytes(field, null);
    return octets == null ? value : decoded(field, octets);
  }

  private String decoded(Field field, byte[] octets) {
    try {
      return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(octets)).toString();
    } catch (CharacterCodingException error) {
      fail("text", field.number());
      return null;
    }
  }

  @Override
  public Secret secret(Field field, Secret value) {
    byte[] octets = bytes(field, null);
    return octets == null ? value : new Secret(octets);
  }

  @Override
  public Secret secretText(Field field, Secret value) {
    Secret secret = secret(field, value);
    // Decoding it would leave a string behind, of a card number for example, that nothing can wipe.
    if (secret != value && !Utf8.isValid(secret.bytes())) fail("text", field.number());
    return secret;
  }

  private Long number(Field field) {
    if (!takes(field, VARINT)) return null;
    long number = varint();
    if (flaw != null) return null;
    if (number == 0 && field.presence() != Field.Presence.OPTIONAL) fail("explicit-default", field.number());
    else if (!field.kind().equals("uint64")) checkBounds(field, number);
    return flaw == null ? number : null;
  }

  private void checkBounds(Field field, long number) {
    boolean isWide = number < 0;
    if (field.kind().equals("uint32") && (isWide || number > UINT32_MOST) || field.kind().equals("bool") && (isWide || number > 1)) fail("varint", -1);
    else if (isWide || number < field.least() || number > field.most()) fail("bad-value", field.number());
  }

  @Override
  public long number(Field field, long value) {
    Long number = number(field);
    return number == null ? value : number;
  }

  @Override
  public Long optional(Field field, Long value) {
    Long number = number(field);
    return number == null ? value : number;
  }

  @Override
  public boolean flag(Field field, boolean value) {
    return number(field) != null;
  }

  @Override
  public <E extends Enum<E> & Numbered> E enumeration(Field field, E value, E[] values) {
    Long number = number(field);
    return number == null ? value : named(field, number, values);
  }

  private <E extends Enum<E> & Numbered> E named(Field field, long number, E[] values) {
    for (E each : values) if (each.number() == number) return each;
    if (narrow == 0) narrow = field.number();
    return null;
  }

  @Override
  public <E extends Enum<E> & Numbered> List<E> set(Field field, List<E> value, E[] values) {
    int start = delimited(field, field.isRequired());
    if (start < 0) return value;
    List<E> found = new ArrayList<>();
    Reader packed = new Reader(body, start, at);
    for (long last = 0; packed.at < packed.end; ) {
      long number = packed.varint();
      if (packed.flaw != null) {
        flaw = packed.flaw;
        return value;
      }
      if (number <= last || number > 255) {
        fail("bad-value", field.number());
        return value;
      }
      E each = named(field, number, values);
      if (each != null) found.add(each);
      last = number;
    }
    return List.copyOf(found);
  }

  /** Takes one element after the other: {@code take} is given where each begins. */
  private void elements(Field field, Consumer<Integer> take) {
    for (int count = 0; flaw == null && at < end; count++) {
      int before = at;
      if (!takes(field, DELIMITED)) return;
      if (count == field.count()) {
        fail("too-long", field.number());
        return;
      }
      at = before;
      int start = delimited(field, false);
      if (start >= 0) take.accept(start);
    }
  }

  @Override
  public List<String> texts(Field field, List<String> value) {
    List<String> found = new ArrayList<>();
    elements(field, start -> found.add(decoded(field, Arrays.copyOfRange(body, start, at))));
    return flaw == null ? List.copyOf(found) : value;
  }

  @Override
  public List<byte[]> blobs(Field field, List<byte[]> value) {
    List<byte[]> found = new ArrayList<>();
    elements(field, start -> found.add(Arrays.copyOfRange(body, start, at)));
    return List.copyOf(found);
  }

  @Override
  public <M extends Message> M nested(Field field, M value, Supplier<M> make) {
    int start = delimited(field, false);
    if (start < 0 && (flaw != null || !field.isRequired())) return value;
    M made = make.get();
    // A required one that is missing is refused by its own first field, if that is required.
    within(made, Math.max(start, 0), start < 0 ? Math.max(start, 0) : at);
    if (start < 0) fail("bad-value", field.number());
    return made;
  }

  private void within(Message message, int start, int stop) {
    try {
      decode(message, body, start, stop);
    } catch (Flaw inner) {
      if (flaw == null) flaw = inner;
    }
  }

  @Override
  public <M extends Message> List<M> list(Field field, List<M> value, Supplier<M> make) {
    List<M> found = new ArrayList<>();
    elements(field, start -> {
      M made = make.get();
      within(made, start, at);
      found.add(made);
    });
    return List.copyOf(found);
  }
}
