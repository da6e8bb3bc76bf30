package kist;

import java.util.List;

/** A message shows its fields in the order of their numbers. */
interface Message {
  /** Has each field read, written or looked at. */
  void visit(Visitor visitor);

  /** The number of a field that the bounds alone do not find wrong, or 0. */
  int atFault();

  static boolean isPresent(byte[] value) {
    return value != null && value.length > 0;
  }

  static boolean isPresent(String value) {
    return value != null && !value.isEmpty();
  }

  static boolean isPresent(List<?> value) {
    return !value.isEmpty();
  }

  static boolean isPresent(Message value) {
    if (value == null) return false;
    Finder finder = new Finder(0);
    value.visit(finder);
    return finder.hasFound;
  }
}
