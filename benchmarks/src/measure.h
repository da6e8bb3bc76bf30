/* Does something again and again on some threads for some seconds, and says how often, how fast, and at what cost. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum outcome { DONE, USED_UP, WRONG };

/* What is measured; every thread makes one of its own. */
struct work {
  const char *name;
  void *(*make)(unsigned thread); /* NULL where it cannot be made */
  enum outcome (*once)(void *self);
  bool (*verify)(void *self); /* whether the last result is right, by other code than made it; may be NULL */
  void (*spoil)(void *self);  /* changes the last result; for the check alone */
  unsigned batch;             /* operations that one call does; 0 stands for 1 */
};

struct plan {
  unsigned threads;
  double seconds;
  pid_t server; /* whose processor time counts, too; 0 for none */
};

/*
 * Prints one line of JSON: count and seconds of the time that counts, all (operations, with those before it), rate; p50, p99,
 * p999 (us of one call); client_us and server_us, user and system time of this process and of the server for each operation.
 * The first and the last result of every thread are verified.  Returns the program's exit code, 0 unless something was wrong.
 */
int measure(const struct work *work, struct plan plan);

/* Does it once: the result must be right, and wrong once spoilt. */
bool check(const struct work *work);

/* The work of that name; ends the program where there is none. */
const struct work *work_named(const struct work *all, size_t count, const char *name);

double number(const char *text);
uint64_t nanoseconds(void);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
