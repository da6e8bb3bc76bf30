#include "text.h"

/* The number of continuation bytes after this first byte, and the range of the next one; -1 if it is no first byte. */
static int sequence(uint8_t first, uint8_t *least, uint8_t *most) {
  *least = 0x80;
  *most = 0xBF;
  if (first < 0x80) return 0;
  if (first < 0xC2) return -1;
  if (first < 0xE0) return 1;
  if (first < 0xF0) {
    if (first == 0xE0) *least = 0xA0;
    if (first == 0xED) *most = 0x9F;
    return 2;
  }
  if (first > 0xF4) return -1;
  if (first == 0xF0) *least = 0x90;
  if (first == 0xF4) *most = 0x8F;
  return 3;
}

bool kist_is_utf8(const uint8_t *text, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint8_t least, most;
    int behind = sequence(text[i], &least, &most);
    if (behind < 0 || (size_t)behind > count - i - 1) return false;
    for (; behind > 0; behind--) {
      i += 1;
      if (text[i] < least || text[i] > most) return false;
      least = 0x80;
      most = 0xBF;
    }
  }
  return true;
}
