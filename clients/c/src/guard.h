/* Memory that a child process gets empty, a core dump leaves out and, as far as its limit goes, swap does not see. */
#ifndef KIST_GUARD_H
#define KIST_GUARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct guard {
  /* All zero is an unlocked mutex, with glibc and musl: so a child's is unlocked, whoever held the parent's. */
  pthread_mutex_t lock;
  /* False once this process is a child of the one that made it. */
  bool owned;
  /* The request that is being sent; empty between calls. */
  uint8_t frame[FRAME_LENGTH_SIZE + REQUEST_MOST];
};

/* NULL where there is no memory, or none that a child does not inherit. */
struct guard *kist_guard_make(void);
void kist_guard_free(struct guard *guard);

#endif
