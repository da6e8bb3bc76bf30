/*
 * The golden wire vectors, PROTOCOL.md section 10.
 *
 * usage: vectors_test DIRECTORY   check every vector
 *        vectors_test --schema    print the message tables, to be compared with kist.proto
 *        vectors_test --bounds    print the bounds of the fields, to be compared with kist.proto
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frame.h"
#include "message.h"

enum { TEXT_MOST = 512 * 1024, BYTES_MOST = 256 * 1024 };

struct text {
  char data[TEXT_MOST];
  size_t count;
};

struct vector {
  char message[64];
  char frame[16];
  char error[64];
  bool is_accepted;
  struct text fields; /* as in the file, without `field: ` */
  uint8_t bytes[BYTES_MOST];
  size_t count;
};

static const char *const faults[] = {
    [FAULT_NONE] = "none",
    [FAULT_TRUNCATED] = "truncated",
    [FAULT_TRAILING_BYTES] = "trailing-bytes",
    [FAULT_FRAME_SIZE] = "frame-size",
    [FAULT_VERSION] = "version",
    [FAULT_RESERVED_BITS] = "reserved-bits",
    [FAULT_UNEXPECTED_FIELD] = "unexpected-field",
    [FAULT_WIRE_TYPE] = "wire-type",
    [FAULT_VARINT] = "varint",
    [FAULT_EXPLICIT_DEFAULT] = "explicit-default",
    [FAULT_TOO_LONG] = "too-long",
    [FAULT_BAD_VALUE] = "bad-value",
    [FAULT_TEXT] = "text",
};

/* Reading a file */

static void add(struct text *text, const char *part, size_t count) {
  if (count > sizeof(text->data) - text->count - 1) abort();
  memcpy(text->data + text->count, part, count);
  text->count += count;
  text->data[text->count] = 0;
}

static void say(struct text *text, const char *part) { add(text, part, strlen(part)); }

/* Up to the line's end; gives the bytes that there are. */
static size_t decode_hex(const char *hex, uint8_t *out) {
  size_t count = 0;
  for (unsigned byte; sscanf(hex + 2 * count, "%2x", &byte) == 1 && hex[2 * count] != '\n'; count++) out[count] = (uint8_t)byte;
  return count;
}

static bool take_line(struct vector *vector, char *line) {
  char *value = strchr(line, ':');
  if (!value) return false;
  *value++ = 0;
  if (*value == ' ') value += 1;
  if (strcmp(line, "message") == 0) return snprintf(vector->message, sizeof(vector->message), "%s", value) > 0;
  if (strcmp(line, "frame") == 0) return snprintf(vector->frame, sizeof(vector->frame), "%s", value) > 0;
  if (strcmp(line, "error") == 0) return snprintf(vector->error, sizeof(vector->error), "%s", value) > 0;
  if (strcmp(line, "expect") == 0) {
    vector->is_accepted = strcmp(value, "ok") == 0;
  } else if (strcmp(line, "field") == 0) {
    say(&vector->fields, value);
    say(&vector->fields, "\n");
  } else if (strcmp(line, "bytes") == 0) {
    vector->count += decode_hex(value, vector->bytes + vector->count);
  } else {
    return strcmp(line, "comment") == 0;
  }
  return true;
}

static void read_vector(const char *path, struct vector *vector) {
  memset(vector, 0, sizeof(*vector));
  FILE *file = fopen(path, "r");
  if (!file) abort();
  char *line = NULL;
  size_t room = 0;
  for (ssize_t count; (count = getline(&line, &room, file)) > 0;) {
    if (line[count - 1] == '\n') line[count - 1] = 0;
    CHECK(take_line(vector, line), "%s: a key that is not known: %s", path, line);
  }
  free(line);
  fclose(file);
}

/* Listing a message */

static void list_message(struct text *out, const char *prefix, const struct message *message, const uint8_t *value);

static void list_line(struct text *out, const char *prefix, const char *name) {
  say(out, prefix);
  say(out, name);
  say(out, " = ");
}

static void list_bytes(struct text *out, const struct field *field, const struct kist_bytes *value) {
  say(out, field->kind == FIELD_TEXT ? "text:" : "hex:");
  char hex[3];
  if (field->kind == FIELD_TEXT) {
    add(out, (const char *)value->data, value->count);
  } else {
    for (size_t i = 0; i < value->count; i++) {
      snprintf(hex, sizeof(hex), "%02x", value->data[i]);
      add(out, hex, 2);
    }
  }
  say(out, "\n");
}

static void list_number(struct text *out, const char *prefix, const struct field *field, const uint8_t *place) {
  char digits[32];
  uint64_t value = 0;
  if (field->presence == PRESENCE_OPTIONAL) {
    const struct kist_optional *optional = (const void *)place;
    if (!optional->present) return;
    value = optional->value;
  } else {
    value = field->kind == FIELD_UINT64 ? *(const uint64_t *)(const void *)place
            : field->kind == FIELD_BOOL ? *(const bool *)(const void *)place
                                        : *(const uint32_t *)(const void *)place;
    if (value == 0) return;
  }
  list_line(out, prefix, field->name);
  snprintf(digits, sizeof(digits), "%llu\n", (unsigned long long)value);
  say(out, field->kind == FIELD_BOOL ? "true\n" : digits);
}

static void list_set(struct text *out, const char *prefix, const struct field *field, uint32_t set) {
  char line[64];
  unsigned index = 0;
  for (unsigned bit = 0; bit < 32; bit++) {
    if (!(set >> bit & 1)) continue;
    snprintf(line, sizeof(line), "%s%s[%u] = %u\n", prefix, field->name, index++, bit);
    say(out, line);
  }
}

static void list_element(struct text *out, const char *prefix, const char *name, const struct field *field, const uint8_t *place) {
  if (field->kind == FIELD_MESSAGE) {
    char deeper[256];
    snprintf(deeper, sizeof(deeper), "%s%s.", prefix, name);
    list_message(out, deeper, field->message, place);
    return;
  }
  list_line(out, prefix, name);
  list_bytes(out, field, (const void *)place);
}

static void list_field(struct text *out, const char *prefix, const struct field *field, const uint8_t *value) {
  const uint8_t *place = value + field->offset;
  if (field->presence == PRESENCE_REPEATED) {
    size_t count;
    memcpy(&count, value + field->count_offset, sizeof(count));
    size_t size = field->kind == FIELD_MESSAGE ? field->message->size : sizeof(struct kist_bytes);
    for (size_t i = 0; i < count; i++) {
      char name[64];
      snprintf(name, sizeof(name), "%s[%zu]", field->name, i);
      list_element(out, prefix, name, field, place + i * size);
    }
  } else if (field->kind == FIELD_SET) {
    list_set(out, prefix, field, *(const uint32_t *)(const void *)place);
  } else if (field->kind == FIELD_BYTES || field->kind == FIELD_TEXT) {
    if (((const struct kist_bytes *)(const void *)place)->count > 0) list_element(out, prefix, field->name, field, place);
  } else if (field->kind == FIELD_MESSAGE) {
    list_element(out, prefix, field->name, field, place);
  } else {
    list_number(out, prefix, field, place);
  }
}

static void list_message(struct text *out, const char *prefix, const struct message *message, const uint8_t *value) {
  for (size_t i = 0; i < message->count; i++) list_field(out, prefix, &message->fields[i], value);
}

/* Checking */

static struct text listing;
static uint8_t encoded[BYTES_MOST];

static void check_message(const char *name, const struct vector *vector, const struct message *message) {
  /* Exactly as large as the bytes, so that a sanitizer sees one byte too many being read. */
  uint8_t *body = malloc(vector->count ? vector->count : 1);
  uint8_t *value = malloc(message->size);
  if (!body || !value) abort();
  memcpy(body, vector->bytes, vector->count);
  struct flaw flaw = kist_decode(message, body, vector->count, value);
  char error[64];
  snprintf(error, sizeof(error), flaw.field || strchr(vector->error, ' ') ? "%s %u" : "%s", faults[flaw.fault], flaw.field);
  if (vector->is_accepted) {
    CHECK(flaw.fault == FAULT_NONE, "%s: refused as %s", name, error);
    listing.count = 0;
    say(&listing, "");
    list_message(&listing, "", message, value);
    CHECK(strcmp(listing.data, vector->fields.data) == 0, "%s: listed as\n%s", name, listing.data);
    size_t count;
    struct breach breach;
    flaw = kist_encode(message, value, encoded, sizeof(encoded), &count, &breach);
    CHECK(flaw.fault == FAULT_NONE && count == vector->count && memcmp(encoded, vector->bytes, count) == 0, "%s: other bytes (%s %u)", name,
          faults[flaw.fault], flaw.field);
  } else {
    CHECK(strcmp(error, vector->error) == 0, "%s: %s instead of %s", name, error, vector->error);
  }
  free(body);
  free(value);
}

/* Whatever is decoded encodes to the same bytes [WIRE-3]: of every message that differs from this one in one byte, or ends early. */
static void check_neighbours(const char *name, const struct vector *vector, const struct message *message) {
  uint8_t *value = malloc(message->size);
  size_t others = 0;
  for (size_t at = 0; value && at < vector->count && at < 4096; at++) {
    for (unsigned change = 0; change < 10; change++) {
      /* Nine values in its place, and an end before it. */
      size_t count = change == 9 ? at : vector->count;
      uint8_t *body = malloc(count ? count : 1);
      if (!body) abort();
      memcpy(body, vector->bytes, count);
      if (change < 8) body[at] ^= (uint8_t)(1u << change);
      if (change == 8) body[at] = 0;
      size_t written = 0;
      struct breach breach;
      bool is_sound = kist_decode(message, body, count, value).fault == FAULT_NONE;
      if (is_sound && kist_encode(message, value, encoded, sizeof(encoded), &written, &breach).fault == FAULT_NONE && written == count) {
        is_sound = memcmp(encoded, body, count) != 0;
      }
      others += is_sound;
      free(body);
    }
  }
  CHECK(others == 0, "%s: %zu neighbours encode to other bytes", name, others);
  free(value);
}

/* All the frames as a client reads them. */
static struct flaw read_replies(const uint8_t *at, size_t rest) {
  listing.count = 0;
  for (unsigned index = 0; rest > 0; index++) {
    size_t length;
    struct reply_header header;
    char line[256];
    if (rest < FRAME_LENGTH_SIZE) return (struct flaw){FAULT_TRUNCATED, 0};
    struct flaw flaw = kist_reply_length(at, &length);
    if (flaw.fault != FAULT_NONE) return flaw;
    if (rest < FRAME_LENGTH_SIZE + REPLY_HEADER_SIZE) return (struct flaw){FAULT_TRUNCATED, 0};
    flaw = kist_reply_header_read(at + FRAME_LENGTH_SIZE, &header);
    if (flaw.fault != FAULT_NONE) return flaw;
    if (rest < FRAME_LENGTH_SIZE + length) return (struct flaw){FAULT_TRUNCATED, 0};
    snprintf(line, sizeof(line),
             "frame[%u].status = %u\nframe[%u].opcode = %u\nframe[%u].request_id = %llu\nframe[%u].audit_sequence = %llu\nframe[%u].body = ",
             index, header.status, index, header.opcode, index, (unsigned long long)header.id, index,
             (unsigned long long)header.audit_sequence, index);
    say(&listing, line);
    struct kist_bytes body = {at + FRAME_LENGTH_SIZE + REPLY_HEADER_SIZE, length - REPLY_HEADER_SIZE};
    list_bytes(&listing, &(struct field){.kind = FIELD_BYTES}, &body);
    at += FRAME_LENGTH_SIZE + length;
    rest -= FRAME_LENGTH_SIZE + length;
  }
  return SOUND;
}

static void check_replies(const char *name, const struct vector *vector) {
  struct flaw flaw = read_replies(vector->bytes, vector->count);
  char error[64];
  snprintf(error, sizeof(error), strchr(vector->error, ' ') ? "%s %u" : "%s", faults[flaw.fault], flaw.field);
  if (vector->is_accepted) {
    CHECK(flaw.fault == FAULT_NONE, "%s: refused as %s", name, error);
    CHECK(strcmp(listing.data, vector->fields.data) == 0, "%s: listed as\n%s", name, listing.data);
  } else {
    CHECK(strcmp(error, vector->error) == 0, "%s: %s instead of %s", name, error, vector->error);
  }
}

/* A client writes requests and never reads one: from what is listed come the bytes. */
static void check_requests(const char *name, const struct vector *vector) {
  size_t count = 0;
  unsigned long long id;
  unsigned flags, opcode;
  char key[33];
  int taken;
  const char *form = "frame[%*u].flags = %u\nframe[%*u].opcode = %u\nframe[%*u].request_id = %llu\nframe[%*u].key_id = hex:%32s\nframe[%*u].body = hex:%n";
  for (const char *at = vector->fields.data; sscanf(at, form, &flags, &opcode, &id, key, &taken) == 4;) {
    at += taken;
    struct request_header header = {.flags = (uint8_t)flags, .opcode = (uint16_t)opcode, .id = id};
    decode_hex(key, header.key);
    size_t body_count = decode_hex(at, encoded + count + FRAME_LENGTH_SIZE + REQUEST_HEADER_SIZE);
    at += 2 * body_count + 1;
    kist_request_header_write(encoded + count, &header, body_count);
    count += FRAME_LENGTH_SIZE + REQUEST_HEADER_SIZE + body_count;
  }
  CHECK(count == vector->count && memcmp(encoded, vector->bytes, count) == 0, "%s: other bytes", name);
}

static const struct message *find(const char *name) {
  for (size_t i = 0; i < kist_messages_count; i++) {
    if (strcmp(kist_messages[i]->name, name) == 0) return kist_messages[i];
  }
  return NULL;
}

static void check_file(const char *directory, const char *name, unsigned *tally) {
  static struct vector vector;
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  unsigned long before = checks;
  read_vector(path, &vector);
  checks = before; /* one for each line is no figure to hold on to */
  enum { ACCEPTED, REFUSED, OTHER };
  if (strcmp(vector.frame, "request") == 0 && !vector.is_accepted) {
    tally[OTHER] += 1; /* for daemons alone */
    return;
  }
  const struct message *message = find(vector.message);
  if (!message && vector.message[0]) {
    tally[OTHER] += 1; /* an operators' message that this client does without: test_vectors.py knows which those may be */
    return;
  }
  tally[vector.is_accepted ? ACCEPTED : REFUSED] += 1;
  if (strcmp(vector.frame, "request") == 0) {
    check_requests(name, &vector);
  } else if (strcmp(vector.frame, "reply") == 0) {
    check_replies(name, &vector);
  } else {
    check_message(name, &vector, message);
    if (vector.is_accepted) check_neighbours(name, &vector, message);
  }
}

static void print_schema(void) {
  static const char *const kinds[] = {"bytes", "string", "uint32", "uint64", "bool", "enum", "enum", "message"};
  for (size_t i = 0; i < kist_messages_count; i++) {
    const struct message *message = kist_messages[i];
    for (size_t j = 0; j < message->count; j++) {
      const struct field *field = &message->fields[j];
      bool is_list = field->presence == PRESENCE_REPEATED || field->kind == FIELD_SET;
      printf("%s %u %s %s %s\n", message->name, field->number, field->name, field->message ? field->message->name : kinds[field->kind],
             is_list ? "repeated" : field->presence == PRESENCE_OPTIONAL ? "optional" : "plain");
    }
  }
}

static void print_bound(const struct message *message, const struct field *field) {
  switch ((enum field_kind)field->kind) {
    case FIELD_UINT64:
    case FIELD_BOOL:
    case FIELD_ENUM:
      return;
    case FIELD_UINT32:
      if (field->least == 0 && field->most == UINT32_MAX) return;
      break;
    case FIELD_BYTES:
    case FIELD_TEXT:
    case FIELD_SET:
    case FIELD_MESSAGE:
      break;
  }
  printf("%s %u %s %u ", message->name, field->number, field->name, field->least);
  printf(field->most == UINT32_MAX ? "any " : "%u ", field->most);
  if (field->presence == PRESENCE_REPEATED) {
    printf("list %zu\n", field->count_most);
  } else {
    puts(field->presence == PRESENCE_REQUIRED && field->kind != FIELD_MESSAGE ? "required" : "plain");
  }
}

static void print_bounds(void) {
  for (size_t i = 0; i < kist_messages_count; i++) {
    for (size_t j = 0; j < kist_messages[i]->count; j++) print_bound(kist_messages[i], &kist_messages[i]->fields[j]);
  }
}

static void print_enums(void) {
  for (size_t i = 0; i < kist_messages_count; i++) {
    for (size_t j = 0; j < kist_messages[i]->count; j++) {
      const struct field *field = &kist_messages[i]->fields[j];
      if (field->kind == FIELD_ENUM) printf("%s %u %s %u %u\n", kist_messages[i]->name, field->number, field->name, field->least, field->most);
    }
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--schema") == 0) {
    print_schema();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--bounds") == 0) {
    print_bounds();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--enums") == 0) {
    print_enums();
    return 0;
  }
  DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
  if (!directory) {
    fprintf(stderr, "usage: vectors_test DIRECTORY | --schema | --bounds | --enums\n");
    return 64;
  }
  unsigned tally[3] = {0};
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t length = strlen(entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0) check_file(argv[1], entry->d_name, tally);
  }
  closedir(directory);
  printf("%u accepted, %u refused, %u for daemons alone\n", tally[0], tally[1], tally[2]);
  CHECK(tally[0] >= 120 && tally[1] >= 152, "vectors are missing");
  return finish(checks);
}
