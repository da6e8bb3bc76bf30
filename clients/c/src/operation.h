/* The operations: their request and reply messages, and whether each needs a key. */
#ifndef KIST_OPERATION_H
#define KIST_OPERATION_H

#include "message.h"

enum key_need { KEY_NONE, KEY_OPTIONAL, KEY_REQUIRED };

struct operation {
  uint16_t opcode;
  enum key_need key;
  const struct message *request; /* NULL for an empty body */
  const struct message *reply;   /* likewise */
};

extern const struct operation kist_operations[];
extern const size_t kist_operations_count;

/* NULL for a number that is no operation. */
const struct operation *kist_operation(unsigned opcode);

#endif
