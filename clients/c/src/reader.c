/* Decodes the strict proto3 subset of PROTOCOL.md section 3 [WIRE-3]: each message has one encoding, and all others are refused. */
#include <string.h>

#include "message.h"
#include "text.h"
#include "varint.h"

struct reader {
  const uint8_t *at;
  size_t count;
};

static struct flaw flaw(enum fault fault, const struct field *field) { return (struct flaw){fault, field->number}; }

static struct flaw take_varint(struct reader *reader, uint64_t *value) {
  size_t taken;
  enum fault fault = kist_varint_read(reader->at, reader->count, value, &taken);
  if (fault != FAULT_NONE) return (struct flaw){fault, 0};
  reader->at += taken;
  reader->count -= taken;
  return SOUND;
}

static struct flaw take_tag(struct reader *reader, uint64_t *tag) {
  struct flaw found = take_varint(reader, tag);
  if (found.fault == FAULT_NONE && *tag > UINT32_MAX) found.fault = FAULT_VARINT;
  return found;
}

/* Takes the tag if it is this field's; leaves a later field's tag for that field. */
static struct flaw take_own_tag(struct reader *reader, const struct field *field, bool *taken) {
  *taken = false;
  if (reader->count == 0) return SOUND;
  struct reader ahead = *reader;
  uint64_t tag;
  struct flaw found = take_tag(&ahead, &tag);
  if (found.fault != FAULT_NONE) return found;
  uint32_t number = (uint32_t)(tag >> 3);
  if (number < field->number) return (struct flaw){FAULT_UNEXPECTED_FIELD, number};
  if (number > field->number) return SOUND;
  bool delimited = field->kind == FIELD_BYTES || field->kind == FIELD_TEXT || field->kind == FIELD_MESSAGE || field->kind == FIELD_SET;
  if ((tag & 7) != (delimited ? WIRE_DELIMITED : WIRE_VARINT)) return flaw(FAULT_WIRE_TYPE, field);
  *reader = ahead;
  *taken = true;
  return SOUND;
}

static struct flaw take_delimited(struct reader *reader, const struct field *field, size_t most, struct kist_bytes *value) {
  uint64_t length;
  struct flaw found = take_varint(reader, &length);
  if (found.fault != FAULT_NONE) return found;
  if (length > reader->count) return (struct flaw){FAULT_TRUNCATED, 0};
  if (length > most) return flaw(FAULT_TOO_LONG, field);
  *value = (struct kist_bytes){reader->at, (size_t)length};
  reader->at += length;
  reader->count -= (size_t)length;
  if (length == 0 && field->presence != PRESENCE_REPEATED) return flaw(FAULT_EXPLICIT_DEFAULT, field);
  return SOUND;
}

static struct flaw take_bytes(struct reader *reader, const struct field *field, void *place) {
  struct kist_bytes *value = place;
  struct flaw found = take_delimited(reader, field, field->most, value);
  if (found.fault != FAULT_NONE) return found;
  if (value->count < field->least) return flaw(FAULT_BAD_VALUE, field);
  if (field->kind == FIELD_TEXT && !kist_is_utf8(value->data, value->count)) return flaw(FAULT_TEXT, field);
  return SOUND;
}

static struct flaw take_number(struct reader *reader, const struct field *field, void *place) {
  uint64_t value;
  struct flaw found = take_varint(reader, &value);
  if (found.fault != FAULT_NONE) return found;
  if (value == 0 && field->presence != PRESENCE_OPTIONAL) return flaw(FAULT_EXPLICIT_DEFAULT, field);
  if (field->kind == FIELD_UINT32 && value > UINT32_MAX) return (struct flaw){FAULT_VARINT, 0};
  if (field->kind == FIELD_BOOL && value > 1) return (struct flaw){FAULT_VARINT, 0};
  if (field->kind != FIELD_UINT64 && (value < field->least || value > field->most)) return flaw(FAULT_BAD_VALUE, field);
  if (field->presence == PRESENCE_OPTIONAL) {
    *(struct kist_optional *)place = (struct kist_optional){true, value};
  } else if (field->kind == FIELD_UINT64) {
    *(uint64_t *)place = value;
  } else if (field->kind == FIELD_BOOL) {
    *(bool *)place = true;
  } else {
    *(uint32_t *)place = (uint32_t)value;
  }
  return SOUND;
}

static struct flaw take_set(struct reader *reader, const struct field *field, void *place) {
  struct kist_bytes packed;
  struct flaw found = take_delimited(reader, field, field->most, &packed);
  if (found.fault != FAULT_NONE) return found;
  uint32_t set = 0;
  uint64_t last = 0;
  for (struct reader numbers = {packed.data, packed.count}; numbers.count > 0;) {
    uint64_t number;
    found = take_varint(&numbers, &number);
    if (found.fault != FAULT_NONE) return found;
    if (number <= last || number > 31) return flaw(FAULT_BAD_VALUE, field);
    set |= UINT32_C(1) << number;
    last = number;
  }
  *(uint32_t *)place = set;
  return SOUND;
}

static struct flaw take_message(struct reader *reader, const struct field *field, void *place) {
  struct kist_bytes body;
  struct flaw found = take_delimited(reader, field, field->most, &body);
  if (found.fault != FAULT_NONE) return found;
  return kist_decode(field->message, body.data, body.count, place);
}

static struct flaw take_value(struct reader *reader, const struct field *field, void *place) {
  switch ((enum field_kind)field->kind) {
    case FIELD_BYTES:
    case FIELD_TEXT: return take_bytes(reader, field, place);
    case FIELD_UINT32:
    case FIELD_UINT64:
    case FIELD_BOOL:
    case FIELD_ENUM: return take_number(reader, field, place);
    case FIELD_SET: return take_set(reader, field, place);
    case FIELD_MESSAGE: return take_message(reader, field, place);
  }
  return flaw(FAULT_BAD_VALUE, field);
}

static struct flaw take_elements(struct reader *reader, const struct field *field, uint8_t *value) {
  size_t size = field->kind == FIELD_MESSAGE ? field->message->size : sizeof(struct kist_bytes);
  size_t count = 0;
  for (bool taken = true;;) {
    struct flaw found = take_own_tag(reader, field, &taken);
    if (found.fault != FAULT_NONE) return found;
    if (!taken) break;
    if (count == field->count_most) return flaw(FAULT_TOO_LONG, field);
    found = take_value(reader, field, value + field->offset + count * size);
    if (found.fault != FAULT_NONE) return found;
    count += 1;
  }
  memcpy(value + field->count_offset, &count, sizeof(count));
  return SOUND;
}

static struct flaw take_field(struct reader *reader, const struct field *field, uint8_t *value) {
  if (field->presence == PRESENCE_REPEATED) return take_elements(reader, field, value);
  bool taken;
  struct flaw found = take_own_tag(reader, field, &taken);
  if (found.fault != FAULT_NONE) return found;
  if (taken) return take_value(reader, field, value + field->offset);
  if (field->presence != PRESENCE_REQUIRED) return SOUND;
  /* A required message that is absent is refused by its own first field, if it has fields. */
  if (field->kind == FIELD_MESSAGE) return kist_decode(field->message, reader->at, 0, value + field->offset);
  return flaw(FAULT_BAD_VALUE, field);
}

/* Checks that no input is left. */
static struct flaw end(struct reader *reader) {
  if (reader->count == 0) return SOUND;
  uint64_t tag;
  if (take_tag(reader, &tag).fault != FAULT_NONE) return (struct flaw){FAULT_TRAILING_BYTES, 0};
  return (struct flaw){FAULT_UNEXPECTED_FIELD, (uint32_t)(tag >> 3)};
}

struct flaw kist_decode(const struct message *message, const uint8_t *body, size_t count, void *value) {
  memset(value, 0, message->size);
  struct reader reader = {body, count};
  for (size_t i = 0; i < message->count; i++) {
    struct flaw found = take_field(&reader, &message->fields[i], value);
    if (found.fault != FAULT_NONE) return found;
  }
  struct flaw found = end(&reader);
  if (found.fault != FAULT_NONE) return found;
  uint32_t field = message->rule ? message->rule(value) : 0;
  return field ? (struct flaw){FAULT_BAD_VALUE, field} : SOUND;
}
