package kist;

import java.util.List;
import java.util.function.Supplier;

/** Reads, writes or looks at one field after the other: each method takes a field's value, and gives the one that it has from then on. */
interface Visitor {
  byte[] bytes(Field field, byte[] value);

  String text(Field field, String value);

  Secret secret(Field field, Secret value);

  Secret secretText(Field field, Secret value);

  long number(Field field, long value);

  Long optional(Field field, Long value);

  boolean flag(Field field, boolean value);

  <E extends Enum<E> & Numbered> E enumeration(Field field, E value, E[] values);

  <E extends Enum<E> & Numbered> List<E> set(Field field, List<E> value, E[] values);

  List<String> texts(Field field, List<String> value);

  List<byte[]> blobs(Field field, List<byte[]> value);

  <M extends Message> M nested(Field field, M value, Supplier<M> make);

  <M extends Message> List<M> list(Field field, List<M> value, Supplier<M> make);
}
