#include "varint.h"

size_t kist_varint_size(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) size += 1;
  return size;
}

void kist_varint_write(uint8_t *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = (uint8_t)(value | 0x80);
  *out = (uint8_t)value;
}

enum fault kist_varint_read(const uint8_t *at, size_t count, uint64_t *value, size_t *taken) {
  *value = 0;
  for (size_t i = 0; i < 10; i++) {
    if (i == count) return FAULT_TRUNCATED;
    uint8_t byte = at[i];
    /* The tenth byte has room for one bit. */
    if (i == 9 && byte > 1) return FAULT_VARINT;
    *value |= (uint64_t)(byte & 0x7F) << (7 * i);
    if (byte & 0x80) continue;
    if (byte == 0 && i > 0) return FAULT_VARINT;
    *taken = i + 1;
    return FAULT_NONE;
  }
  return FAULT_VARINT;
}
