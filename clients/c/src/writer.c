/* Encodes what the reader accepts, and checks the same bounds first, since a malformed request would end the connection [WIRE-12]. */
#include <string.h>

#include "message.h"
#include "text.h"
#include "varint.h"

struct writer {
  uint8_t *out;
  size_t capacity;
  size_t count;
  struct breach *breach;
};

static struct flaw flaw(struct writer *writer, enum fault fault, const struct field *field, uint64_t given) {
  *writer->breach = (struct breach){.field = field, .given = given};
  return (struct flaw){fault, field->number};
}

static struct flaw put_varint(struct writer *writer, const struct field *field, uint64_t value) {
  size_t size = kist_varint_size(value);
  if (size > writer->capacity - writer->count) return flaw(writer, FAULT_TOO_LONG, field, value);
  kist_varint_write(writer->out + writer->count, value);
  writer->count += size;
  return SOUND;
}

static struct flaw put_tag(struct writer *writer, const struct field *field, enum wire_type type) {
  return put_varint(writer, field, (uint64_t)field->number << 3 | (uint64_t)type);
}

static struct flaw put_delimited(struct writer *writer, const struct field *field, struct kist_bytes value) {
  struct flaw found = put_tag(writer, field, WIRE_DELIMITED);
  if (found.fault == FAULT_NONE) found = put_varint(writer, field, value.count);
  if (found.fault != FAULT_NONE) return found;
  if (value.count > writer->capacity - writer->count) return flaw(writer, FAULT_TOO_LONG, field, value.count);
  if (value.count > 0) memcpy(writer->out + writer->count, value.data, value.count);
  writer->count += value.count;
  return SOUND;
}

static struct flaw put_bytes(struct writer *writer, const struct field *field, const void *place) {
  const struct kist_bytes *value = place;
  if (value->count > field->most) return flaw(writer, FAULT_TOO_LONG, field, value->count);
  if (value->count > 0 && !value->data) return flaw(writer, FAULT_BAD_VALUE, field, 0);
  if (value->count == 0 && field->presence == PRESENCE_ANY) return SOUND;
  if (value->count < field->least) return flaw(writer, FAULT_BAD_VALUE, field, value->count);
  if (field->kind == FIELD_TEXT && !kist_is_utf8(value->data, value->count)) return flaw(writer, FAULT_TEXT, field, value->count);
  return put_delimited(writer, field, *value);
}

/* The number in this place; false if it is absent. */
static bool number(const struct field *field, const void *place, uint64_t *value) {
  if (field->presence == PRESENCE_OPTIONAL) {
    const struct kist_optional *optional = place;
    *value = optional->value;
    return optional->present;
  }
  if (field->kind == FIELD_UINT64) {
    *value = *(const uint64_t *)place;
  } else if (field->kind == FIELD_BOOL) {
    *value = *(const bool *)place ? 1 : 0;
  } else {
    *value = *(const uint32_t *)place;
  }
  return *value != 0;
}

static struct flaw put_number(struct writer *writer, const struct field *field, const void *place) {
  uint64_t value;
  if (!number(field, place, &value)) return field->presence == PRESENCE_REQUIRED ? flaw(writer, FAULT_BAD_VALUE, field, 0) : SOUND;
  if (field->kind != FIELD_UINT64 && (value < field->least || value > field->most)) return flaw(writer, FAULT_BAD_VALUE, field, value);
  struct flaw found = put_tag(writer, field, WIRE_VARINT);
  return found.fault == FAULT_NONE ? put_varint(writer, field, value) : found;
}

/* A number of a set is below 32 and so one byte. */
static struct flaw put_set(struct writer *writer, const struct field *field, const void *place) {
  uint32_t set = *(const uint32_t *)place;
  uint8_t packed[32];
  size_t count = 0;
  for (uint8_t bit = 0; bit < 32; bit++) {
    if (set >> bit & 1) packed[count++] = bit;
  }
  return count == 0 ? SOUND : put_delimited(writer, field, (struct kist_bytes){packed, count});
}

/* Encodes after space for the longest length field, then moves the bytes forward and wipes those after the new end. */
static struct flaw put_message(struct writer *writer, const struct field *field, const void *place) {
  size_t start = writer->count;
  struct flaw found = put_tag(writer, field, WIRE_DELIMITED);
  if (found.fault != FAULT_NONE) return found;
  size_t gap = kist_varint_size(field->most);
  if (gap > writer->capacity - writer->count) return flaw(writer, FAULT_TOO_LONG, field, gap);
  uint8_t *body = writer->out + writer->count + gap;
  size_t count;
  found = kist_encode(field->message, place, body, writer->capacity - writer->count - gap, &count, writer->breach);
  if (found.fault != FAULT_NONE) {
    writer->breach->outer = field;
    return found;
  }
  if (count > field->most) return flaw(writer, FAULT_TOO_LONG, field, count);
  if (count == 0 && field->presence == PRESENCE_ANY) {
    explicit_bzero(writer->out + start, writer->count - start);
    writer->count = start;
    return SOUND;
  }
  found = put_varint(writer, field, count);
  memmove(writer->out + writer->count, body, count);
  writer->count += count;
  explicit_bzero(writer->out + writer->count, (size_t)(body + count - (writer->out + writer->count)));
  return found;
}

static struct flaw put_value(struct writer *writer, const struct field *field, const void *place) {
  switch ((enum field_kind)field->kind) {
    case FIELD_BYTES:
    case FIELD_TEXT: return put_bytes(writer, field, place);
    case FIELD_UINT32:
    case FIELD_UINT64:
    case FIELD_BOOL:
    case FIELD_ENUM: return put_number(writer, field, place);
    case FIELD_SET: return put_set(writer, field, place);
    case FIELD_MESSAGE: return put_message(writer, field, place);
  }
  return flaw(writer, FAULT_BAD_VALUE, field, 0);
}

static bool is_empty(const struct message *message, const uint8_t *value) {
  for (size_t i = 0; i < message->count; i++) {
    const struct field *field = &message->fields[i];
    const uint8_t *place = value + field->offset;
    uint64_t ignored;
    bool delimited = field->kind == FIELD_BYTES || field->kind == FIELD_TEXT;
    if (delimited ? ((const struct kist_bytes *)place)->count > 0 : number(field, place, &ignored)) return false;
  }
  return true;
}

static struct flaw put_field(struct writer *writer, const struct field *field, const uint8_t *value) {
  const uint8_t *place = value + field->offset;
  if (field->presence != PRESENCE_REPEATED) {
    bool absent = field->kind == FIELD_MESSAGE && field->presence == PRESENCE_ANY && is_empty(field->message, place);
    return absent ? SOUND : put_value(writer, field, place);
  }
  size_t count;
  memcpy(&count, value + field->count_offset, sizeof(count));
  if (count > field->count_most) return flaw(writer, FAULT_TOO_LONG, field, count);
  size_t size = field->kind == FIELD_MESSAGE ? field->message->size : sizeof(struct kist_bytes);
  for (size_t i = 0; i < count; i++) {
    struct flaw found = put_value(writer, field, place + i * size);
    if (found.fault != FAULT_NONE) return found;
  }
  return SOUND;
}

/* The rule found this field at fault, whatever its size. */
static struct flaw against_rule(struct writer *writer, const struct message *message, uint32_t number) {
  for (size_t i = 0; i < message->count; i++) {
    if (message->fields[i].number == number) return flaw(writer, FAULT_BAD_VALUE, &message->fields[i], NO_NUMBER);
  }
  return (struct flaw){FAULT_BAD_VALUE, number};
}

struct flaw kist_encode(const struct message *message, const void *value, uint8_t *out, size_t capacity, size_t *count, struct breach *breach) {
  struct writer writer = {out, capacity, 0, breach};
  *count = 0;
  *breach = (struct breach){0};
  uint32_t field = message->rule ? message->rule(value) : 0;
  if (field) return against_rule(&writer, message, field);
  for (size_t i = 0; i < message->count; i++) {
    struct flaw found = put_field(&writer, &message->fields[i], value);
    if (found.fault != FAULT_NONE) return found;
  }
  *count = writer.count;
  return SOUND;
}
