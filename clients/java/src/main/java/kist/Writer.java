package kist;

import java.nio.CharBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Puts a body together, of which it leaves no other copy. It is a flaw where {@link Reader} would refuse the result; after one it does nothing more. */
final class Writer implements Visitor {
  private byte[] body = new byte[64];
  private int size;
  private Flaw flaw;

  /** In place of a request's own, or null. */
  private final byte[] retryKey;

  private Writer(byte[] retryKey) {
    this.retryKey = retryKey;
  }

  static byte[] encode(Message message) throws Flaw {
    return encode(message, null);
  }

  /** The message, a request, with this retry key if there is one. */
  static byte[] encode(Message message, byte[] retryKey) throws Flaw {
    int number = message.atFault();
    if (number != 0) {
      Finder finder = new Finder(number);
      message.visit(finder);
      throw new Flaw("bad-value", number, finder.name + " is none of the values it takes here, or does not go with the other fields");
    }
    Writer writer = new Writer(retryKey);
    message.visit(writer);
    byte[] made = Arrays.copyOf(writer.body, writer.size);
    Arrays.fill(writer.body, (byte) 0);
    if (writer.flaw == null) return made;
    Arrays.fill(made, (byte) 0);
    throw writer.flaw;
  }

  private void fail(String fault, Field field, String text) {
    if (flaw == null) flaw = Flaw.of(fault, field, text);
  }

  private void append(byte[] part) {
    if (size + part.length > body.length) {
      byte[] wider = Arrays.copyOf(body, 2 * body.length + part.length);
      Arrays.fill(body, (byte) 0);
      body = wider;
    }
    System.arraycopy(part, 0, body, size, part.length);
    size += part.length;
  }

  private void varint(long number) {
    byte[] octets = new byte[10];
    int count = 0;
    for (; number < 0 || number >= 0x80; number >>>= 7) octets[count++] = (byte) (number | 0x80);
    octets[count++] = (byte) number;
    append(Arrays.copyOf(octets, count));
  }

  private void number(Field field, long value, boolean isThere) {
    if (flaw != null || !isThere && !isMissing(field)) return;
    if (!field.kind().equals("uint64") && (value < field.least() || value > field.most())) {
      fail("bad-value", field, "is " + value + "; it takes " + field.takes());
      return;
    }
    varint((long) field.number() << 3);
    varint(value);
  }

  /** Always false, and a flaw if the field has to be there. */
  private boolean isMissing(Field field) {
    if (field.isRequired()) fail("bad-value", field, "is missing");
    return false;
  }

  private void element(Field field, byte[] part) {
    if (flaw != null) return;
    boolean isNested = field.kind().equals("message");
    if (part.length > field.most()) fail("too-long", field, "has " + part.length + " bytes; it takes " + field.takes());
    else if (!isNested && (part.length < field.least() || !field.hasSize(part.length))) fail("bad-value", field, "has " + part.length + " bytes; it takes " + field.takes());
    if (flaw != null) return;
    varint((long) field.number() << 3 | 2);
    varint(part.length);
    append(part);
  }

  @Override
  public byte[] bytes(Field field, byte[] value) {
    byte[] sent = retryKey != null && field.name().equals("retryKey") ? retryKey : value;
    if (Message.isPresent(sent) || isMissing(field)) element(field, sent);
    return value;
  }

  private byte[] encoded(Field field, String value) {
    try {
      ByteBuffer octets = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
      byte[] made = Arrays.copyOf(octets.array(), octets.limit());
      Arrays.fill(octets.array(), (byte) 0);
      return made;
    } catch (CharacterCodingException error) {
      fail("text", field, "is not Unicode");
      return new byte[0];
    }
  }

  @Override
  public String text(Field field, String value) {
    if (Message.isPresent(value) || isMissing(field)) {
      byte[] octets = encoded(field, value);
      element(field, octets);
      Arrays.fill(octets, (byte) 0);
    }
    return value;
  }

  @Override
  public Secret secret(Field field, Secret value) {
    bytes(field, value == null ? null : value.bytes());
    return value;
  }

  @Override
  public Secret secretText(Field field, Secret value) {
    return secret(field, value);
  }

  @Override
  public long number(Field field, long value) {
    number(field, value, value != 0);
    return value;
  }

  @Override
  public Long optional(Field field, Long value) {
    if (value != null) number(field, value, true);
    return value;
  }

  @Override
  public boolean flag(Field field, boolean value) {
    number(field, 1, value);
    return value;
  }

  @Override
  public <E extends Enum<E> & Numbered> E enumeration(Field field, E value, E[] values) {
    number(field, value == null ? 0 : value.number(), value != null);
    return value;
  }

  @Override
  public <E extends Enum<E> & Numbered> List<E> set(Field field, List<E> value, E[] values) {
    byte[] packed = new byte[value.size()];
    int count = 0;
    for (E each : values) if (value.contains(each)) packed[count++] = (byte) each.number();
    if (count > 0) element(field, Arrays.copyOf(packed, count));
    return value;
  }

  private boolean isTooLong(Field field, int count) {
    if (count > field.count()) fail("too-long", field, "has " + count + " elements; it takes at most " + field.count());
    return count > field.count();
  }

  @Override
  public List<String> texts(Field field, List<String> value) {
    if (!isTooLong(field, value.size())) for (String each : value) element(field, encoded(field, each));
    return value;
  }

  @Override
  public List<byte[]> blobs(Field field, List<byte[]> value) {
    if (!isTooLong(field, value.size())) for (byte[] each : value) element(field, each);
    return value;
  }

  @Override
  public <M extends Message> M nested(Field field, M value, Supplier<M> make) {
    if (Message.isPresent(value)) within(field, value);
    else if (field.isRequired()) {
      within(field, make.get()); // refused by its own first field, if that is required
      fail("bad-value", field, "is missing");
    }
    return value;
  }

  private void within(Field field, Message message) {
    if (flaw != null) return;
    try {
      byte[] inner = encode(message);
      element(field, inner);
      Arrays.fill(inner, (byte) 0);
    } catch (Flaw inner) {
      inner.text = field.name() + "." + inner.text;
      flaw = inner;
    }
  }

  @Override
  public <M extends Message> List<M> list(Field field, List<M> value, Supplier<M> make) {
    if (!isTooLong(field, value.size())) for (M each : value) within(field, each);
    return value;
  }
}
