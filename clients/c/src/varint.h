/* Varints in their shortest form, within 64 bits. */
#ifndef KIST_VARINT_H
#define KIST_VARINT_H

#include "message.h"

enum wire_type { WIRE_VARINT = 0, WIRE_DELIMITED = 2 };

/* Bytes that the value takes, 1 to 10. */
size_t kist_varint_size(uint64_t value);
/* Writes kist_varint_size bytes. */
void kist_varint_write(uint8_t *out, uint64_t value);
/* FAULT_NONE, FAULT_TRUNCATED or FAULT_VARINT. */
enum fault kist_varint_read(const uint8_t *at, size_t count, uint64_t *value, size_t *taken);

#endif
