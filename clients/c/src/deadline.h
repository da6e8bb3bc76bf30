#ifndef KIST_DEADLINE_H
#define KIST_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A moment of the monotonic clock, in milliseconds; INT64_MAX for never. */
typedef int64_t deadline;

deadline kist_deadline(int timeout_ms);
/* The time left, for poll(2): 0 when it is over, -1 for no limit. */
int kist_deadline_rest(deadline at);
/* The moment by CLOCK_MONOTONIC, for pthread_cond_timedwait(3); false for no limit. */
bool kist_deadline_time(deadline at, struct timespec *time);

#endif
