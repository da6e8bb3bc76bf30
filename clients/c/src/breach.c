#include <inttypes.h>
#include <stdio.h>

#include "message.h"

/* "32", "at most 64" or "1 to 1024". */
static void write_range(uint32_t least, size_t most, char *text, size_t capacity) {
  if (least == most) {
    snprintf(text, capacity, "%zu", most);
  } else if (least == 0) {
    snprintf(text, capacity, "at most %zu", most);
  } else {
    snprintf(text, capacity, "%" PRIu32 " to %zu", least, most);
  }
}

static bool has_size(const struct field *field) {
  return field->kind == FIELD_BYTES || field->kind == FIELD_TEXT || field->kind == FIELD_MESSAGE || field->kind == FIELD_SET;
}

static void write_bound(enum fault fault, const struct breach *breach, char *text, size_t capacity) {
  const struct field *field = breach->field;
  char range[48];
  write_range(field->least, field->most, range, sizeof(range));
  if (fault == FAULT_TEXT) {
    snprintf(text, capacity, "is not UTF-8");
  } else if (breach->given == NO_NUMBER) {
    snprintf(text, capacity, "is none of the values it takes here, or does not go with the other fields");
  } else if (breach->given == 0) {
    snprintf(text, capacity, "is missing");
  } else if (!has_size(field)) {
    snprintf(text, capacity, "is %" PRIu64 "; it takes %s", breach->given, range);
  } else if (field->presence == PRESENCE_REPEATED && breach->given > field->count_most) {
    snprintf(text, capacity, "has %" PRIu64 " elements; it takes at most %zu", breach->given, field->count_most);
  } else {
    snprintf(text, capacity, "has %" PRIu64 " bytes; it takes %s", breach->given, range);
  }
}

void kist_breach_write(enum fault fault, const struct breach *breach, char *text, size_t capacity) {
  char bound[112];
  if (!breach->field) return;
  write_bound(fault, breach, bound, sizeof(bound));
  snprintf(text, capacity, "%s%s%s %s", breach->outer ? breach->outer->name : "", breach->outer ? "." : "", breach->field->name, bound);
}
