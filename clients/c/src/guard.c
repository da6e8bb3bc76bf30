#include "guard.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct guard *kist_guard_make(void) {
  struct guard *guard = mmap(NULL, sizeof(*guard), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (guard == MAP_FAILED) return NULL;
  if (madvise(guard, sizeof(*guard), MADV_WIPEONFORK) != 0) {
    munmap(guard, sizeof(*guard));
    return NULL;
  }
  /* The system may refuse either of these: a limit on locked memory is common. */
  (void)madvise(guard, sizeof(*guard), MADV_DONTDUMP);
  (void)mlock(guard, sizeof(*guard));
  guard->owned = true;
  return guard;
}

void kist_guard_free(struct guard *guard) {
  kist_guard_wipe(guard);
  munmap(guard, sizeof(*guard));
}

/* Its clock is the deadlines', which nobody sets. */
static void make_condition(struct guard *guard) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&guard->end_of_turn, &attributes);
  pthread_condattr_destroy(&attributes);
  guard->has_condition = true;
}

/* False when the time is over. */
static bool await_end_of_turn(struct guard *guard, deadline until) {
  struct timespec end;
  if (kist_deadline_time(until, &end)) return pthread_cond_timedwait(&guard->end_of_turn, &guard->lock, &end) == 0;
  return pthread_cond_wait(&guard->end_of_turn, &guard->lock) == 0;
}

bool kist_guard_take(struct guard *guard, deadline until) {
  pthread_mutex_lock(&guard->lock);
  if (!guard->has_condition) make_condition(guard);
  while (guard->is_taken && await_end_of_turn(guard, until)) continue;
  bool is_ours = !guard->is_taken;
  guard->is_taken = true;
  pthread_mutex_unlock(&guard->lock);
  return is_ours;
}

void kist_guard_give(struct guard *guard) {
  pthread_mutex_lock(&guard->lock);
  guard->is_taken = false;
  pthread_cond_signal(&guard->end_of_turn);
  pthread_mutex_unlock(&guard->lock);
}

void kist_guard_wipe(struct guard *guard) {
  explicit_bzero(guard->frames, guard->waiting);
  guard->waiting = 0;
}
