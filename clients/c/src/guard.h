/* Memory that is empty in a child process, left out of core dumps and, as far as the limit allows, never swapped. */
#ifndef KIST_GUARD_H
#define KIST_GUARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "deadline.h"
#include "frame.h"

/* The most bytes of requests in flight. The socket buffers as many, so that sending never waits for a daemon that
   itself waits until its replies are collected. */
enum { IN_FLIGHT_BYTES = 64 * 1024 };

struct guard {
  /* Held for moments. With glibc and musl, all zeros are an unlocked mutex: so a child's is unlocked even if the parent's was held. */
  pthread_mutex_t lock;
  /* Waited for by those whose turn it is not; made by the first who takes a turn in a process. */
  pthread_cond_t end_of_turn;
  bool has_condition;
  bool is_taken; /* by a thread, from the beginning of its call to the end */
  /* False once this process is a child of the one that made it. */
  bool owned;
  /* The requests that wait to be sent, one behind the other; empty while none does. */
  uint8_t frames[IN_FLIGHT_BYTES + FRAME_LENGTH_SIZE + REQUEST_MOST];
  size_t waiting; /* bytes of `frames` */
};

/* NULL if there is no memory, or none that a child does not inherit. */
struct guard *kist_guard_make(void);
void kist_guard_free(struct guard *guard);
/* Waits until no other thread has the turn, and takes it; false if there was none in time. */
bool kist_guard_take(struct guard *guard, deadline until);
void kist_guard_give(struct guard *guard);
/* Wipes the requests that wait. */
void kist_guard_wipe(struct guard *guard);

#endif
