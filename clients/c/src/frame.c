#include "frame.h"

#include <string.h>

enum { VERSION = 1 };

static void store(uint8_t *out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}

static uint64_t load(const uint8_t *at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | at[i];
  return value;
}

void kist_request_header_write(uint8_t *out, const struct request_header *header, size_t body_count) {
  store(out, REQUEST_HEADER_SIZE + body_count, FRAME_LENGTH_SIZE);
  out[4] = VERSION;
  out[5] = header->flags;
  store(out + 6, header->opcode, 2);
  store(out + 8, header->id, 8);
  memcpy(out + 16, header->key, KIST_KEY_ID_SIZE);
}

struct flaw kist_reply_length(const uint8_t length[FRAME_LENGTH_SIZE], size_t *count) {
  *count = (size_t)load(length, FRAME_LENGTH_SIZE);
  bool fits = *count >= REPLY_HEADER_SIZE && *count <= REPLY_MOST;
  return fits ? SOUND : (struct flaw){FAULT_FRAME_SIZE, 0};
}

struct flaw kist_reply_header_read(const uint8_t *at, struct reply_header *header) {
  if (at[0] != VERSION) return (struct flaw){FAULT_VERSION, 0};
  if (at[1] > KIST_APPROVAL_NEEDED) return (struct flaw){FAULT_BAD_VALUE, 0};
  header->status = at[1];
  header->opcode = (uint16_t)load(at + 2, 2);
  header->id = load(at + 4, 8);
  header->audit_sequence = load(at + 12, 8);
  return SOUND;
}
