/* Memory that is empty in a child process, left out of core dumps and, as far as the limit allows, never swapped. */
#ifndef KIST_GUARD_H
#define KIST_GUARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct guard {
  /* With glibc and musl, all zeros are an unlocked mutex: so a child's is unlocked even if the parent's was held. */
  pthread_mutex_t lock;
  /* False once this process is a child of the one that made it. */
  bool owned;
  /* The request that is being sent; empty between calls. */
  uint8_t frame[FRAME_LENGTH_SIZE + REQUEST_MOST];
};

/* NULL if there is no memory, or none that a child does not inherit. */
struct guard *kist_guard_make(void);
void kist_guard_free(struct guard *guard);

#endif
