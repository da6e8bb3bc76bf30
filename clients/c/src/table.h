/* How schema.c writes its tables down. SELF is the struct of the message at hand. */
#ifndef KIST_TABLE_H
#define KIST_TABLE_H

#include "operation.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define FIELD(KIND, PRESENCE, NUMBER, NAME, LEAST, MOST) \
  {.number = NUMBER, .kind = KIND, .presence = PRESENCE, .name = #NAME, .offset = offsetof(struct SELF, NAME), .least = LEAST, .most = MOST}

#define NESTED(PRESENCE, NUMBER, NAME, MESSAGE, MOST)                                       \
  {.number = NUMBER, .kind = FIELD_MESSAGE, .presence = PRESENCE, .name = #NAME,            \
   .offset = offsetof(struct SELF, NAME), .most = MOST, .message = &kist_message_##MESSAGE}

#define REPEATED(KIND, NUMBER, NAME, MESSAGE, MOST)                                            \
  {.number = NUMBER, .kind = KIND, .presence = PRESENCE_REPEATED, .name = #NAME,               \
   .offset = offsetof(struct SELF, NAME), .most = MOST, .message = MESSAGE,                    \
   .count_offset = offsetof(struct SELF, NAME##_count), .count_most = COUNT_OF(((struct SELF *)0)->NAME)}

#define RULED_MESSAGE(STEM, NAME, RULE) \
  const struct message kist_message_##STEM = {NAME, sizeof(struct kist_##STEM), STEM##_fields, COUNT_OF(STEM##_fields), RULE};
#define MESSAGE(STEM, NAME) RULED_MESSAGE(STEM, NAME, NULL)

#endif
