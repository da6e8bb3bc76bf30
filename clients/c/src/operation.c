/* Which operation a number is. */
#include "operation.h"

const struct operation *kist_operation(unsigned opcode) {
  for (size_t i = 0; i < kist_operations_count; i++) {
    if (kist_operations[i].opcode == opcode) return &kist_operations[i];
  }
  return NULL;
}
