/*
 * Messages as tables: the fields of each message, their places in its struct, and their bounds.
 *
 * One reader and one writer work from these tables, so that every message is decoded and encoded by the same rules
 * (PROTOCOL.md section 3).  proto/generate.py writes them.
 */
#ifndef KIST_MESSAGE_H
#define KIST_MESSAGE_H

#include "schema.h"

enum field_kind {
  FIELD_BYTES,   /* struct kist_bytes; bounds are of its size */
  FIELD_TEXT,    /* the same, UTF-8 */
  FIELD_UINT32,  /* uint32_t; bounds are of its value */
  FIELD_UINT64,  /* uint64_t */
  FIELD_BOOL,    /* bool */
  FIELD_ENUM,    /* uint32_t, 1 to `most` */
  FIELD_SET,     /* uint32_t, a bit for each of strictly ascending enum numbers */
  FIELD_MESSAGE, /* the struct of `message`; `most` is of its bytes */
};

enum field_presence {
  PRESENCE_ANY,      /* absent where it has its default */
  PRESENCE_REQUIRED, /* likewise on the wire, and the default is refused */
  PRESENCE_OPTIONAL, /* struct kist_optional: a default can be sent */
  PRESENCE_REPEATED, /* an array of `count_most`, its count at `count_offset` */
};

struct message;

struct field {
  uint8_t number;
  uint8_t kind;
  uint8_t presence;
  const char *name;
  size_t offset;
  uint32_t least;
  uint32_t most;
  const struct message *message;
  size_t count_offset;
  size_t count_most;
};

/* Refusals, as the golden vectors name them. */
enum fault {
  FAULT_NONE,
  FAULT_TRUNCATED,
  FAULT_TRAILING_BYTES,
  FAULT_FRAME_SIZE,
  FAULT_VERSION,
  FAULT_RESERVED_BITS,
  FAULT_UNEXPECTED_FIELD,
  FAULT_WIRE_TYPE,
  FAULT_VARINT,
  FAULT_EXPLICIT_DEFAULT,
  FAULT_TOO_LONG,
  FAULT_BAD_VALUE,
  FAULT_TEXT,
};

/* A fault and the number of the field at fault, if there is one. */
struct flaw {
  enum fault fault;
  uint32_t field;
};

#define SOUND ((struct flaw){FAULT_NONE, 0})

/* What `given` is where no number says what is wrong. */
#define NO_NUMBER UINT64_MAX

/* Which field of a request broke which bound, for a person: sizes and numbers alone, no bytes. */
struct breach {
  const struct field *outer; /* the field whose message it is in, or NULL */
  const struct field *field;
  uint64_t given;            /* its size, its value or its count of elements */
};

struct message {
  const char *name;
  size_t size;
  const struct field *fields;
  size_t count;
  /* Returns the number of a field that contradicts the others, else 0; NULL if every combination is allowed. */
  uint32_t (*rule)(const void *value);
};

/* Every message of schema.c, in the order of kist.proto. */
extern const struct message *const kist_messages[];
extern const size_t kist_messages_count;

/* What a reply that is no success carries. */
extern const struct message kist_message_malformation, kist_message_rejection, kist_message_busy, kist_message_approval_needed;

/* Fills `value`, whose bytes then lie in `body`. Of a flawed body it has what stands in front of the flaw; the field at fault has no meaning, those behind it are zero. */
struct flaw kist_decode(const struct message *message, const uint8_t *body, size_t count, void *value);

/* Writes at most `capacity` bytes; it is a flaw if something does not fit or exceeds a bound, and `breach` says which. */
struct flaw kist_encode(const struct message *message, const void *value, uint8_t *out, size_t capacity, size_t *count, struct breach *breach);

/* Such as "token.transaction_id has 31 bytes; it takes 32". */
void kist_breach_write(enum fault fault, const struct breach *breach, char *text, size_t capacity);

#endif
