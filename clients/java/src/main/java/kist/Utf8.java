package kist;

/** Checks UTF-8 without making a string of it. */
final class Utf8 {
  private Utf8() {}

  /** Whether these bytes are well-formed, Unicode table 3-7. */
  static boolean isValid(byte[] text) {
    for (int i = 0; i < text.length; ) {
      int first = text[i++] & 0xFF;
      int more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
      if (more < 0 || text.length - i < more) return false;
      // Of the second byte some have a narrower range: no overlong form, no surrogate, nothing beyond Unicode.
      int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      for (; more > 0; more--, least = 0x80, most = 0xBF) {
        int next = text[i++] & 0xFF;
        if (next < least || next > most) return false;
      }
    }
    return true;
  }
}
