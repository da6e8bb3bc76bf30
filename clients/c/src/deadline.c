#include "deadline.h"

#include <limits.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

deadline kist_deadline(int timeout_ms) { return timeout_ms < 0 ? INT64_MAX : now() + timeout_ms; }

int kist_deadline_rest(deadline at) {
  if (at == INT64_MAX) return -1;
  int64_t rest = at - now();
  if (rest <= 0) return 0;
  return rest > INT_MAX ? INT_MAX : (int)rest;
}

bool kist_deadline_time(deadline at, struct timespec *time) {
  *time = (struct timespec){.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
  return at != INT64_MAX;
}
