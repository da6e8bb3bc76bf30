/* The fixed parts of frames, PROTOCOL.md section 2, big-endian. */
#ifndef KIST_FRAME_H
#define KIST_FRAME_H

#include "message.h"

enum {
  FRAME_LENGTH_SIZE = 4,
  REQUEST_HEADER_SIZE = 28,
  REQUEST_MOST = 131072, /* by its length field [WIRE-4] */
  REPLY_HEADER_SIZE = 20,
  REPLY_MOST = KIST_REPLY_MOST,
  FLAG_WAIT = 1, /* asks for the wait in a busy reply [WIRE-24] */
};

struct request_header {
  uint8_t flags;
  uint16_t opcode;
  uint64_t id;
  uint8_t key[KIST_KEY_ID_SIZE];
};

struct reply_header {
  uint8_t status;
  uint16_t opcode;
  uint64_t id;
  uint64_t audit_sequence;
};

/* Writes length and header, 32 bytes, in front of a body of `body_count`. */
void kist_request_header_write(uint8_t *out, const struct request_header *header, size_t body_count);

/* What follows the length field, or FAULT_FRAME_SIZE. */
struct flaw kist_reply_length(const uint8_t length[FRAME_LENGTH_SIZE], size_t *count);
/* Reads the 20 bytes after the length field. */
struct flaw kist_reply_header_read(const uint8_t *at, struct reply_header *header);

#endif
