package kist;

import java.util.List;
import java.util.function.Supplier;

/** Looks whether a message has any field, and what a number's field is called. */
final class Finder implements Visitor {
  private final int number;
  boolean hasFound;
  String name = "";

  Finder(int number) {
    this.number = number;
  }

  private <V> V see(Field field, V value, boolean isThere) {
    hasFound |= isThere;
    if (field.number() == number) name = field.name();
    return value;
  }

  @Override
  public byte[] bytes(Field field, byte[] value) {
    return see(field, value, Message.isPresent(value));
  }

  @Override
  public String text(Field field, String value) {
    return see(field, value, Message.isPresent(value));
  }

  @Override
  public Secret secret(Field field, Secret value) {
    return see(field, value, value != null);
  }

  @Override
  public Secret secretText(Field field, Secret value) {
    return see(field, value, value != null);
  }

  @Override
  public long number(Field field, long value) {
    return see(field, value, value != 0);
  }

  @Override
  public Long optional(Field field, Long value) {
    return see(field, value, value != null);
  }

  @Override
  public boolean flag(Field field, boolean value) {
    return see(field, value, value);
  }

  @Override
  public <E extends Enum<E> & Numbered> E enumeration(Field field, E value, E[] values) {
    return see(field, value, value != null);
  }

  @Override
  public <E extends Enum<E> & Numbered> List<E> set(Field field, List<E> value, E[] values) {
    return see(field, value, !value.isEmpty());
  }

  @Override
  public List<String> texts(Field field, List<String> value) {
    return see(field, value, !value.isEmpty());
  }

  @Override
  public List<byte[]> blobs(Field field, List<byte[]> value) {
    return see(field, value, !value.isEmpty());
  }

  @Override
  public <M extends Message> M nested(Field field, M value, Supplier<M> make) {
    return see(field, value, Message.isPresent(value));
  }

  @Override
  public <M extends Message> List<M> list(Field field, List<M> value, Supplier<M> make) {
    return see(field, value, !value.isEmpty());
  }
}
