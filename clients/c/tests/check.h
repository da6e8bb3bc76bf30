/* The whole of a test framework: says where a check failed and goes on; main ends with `return finish(N)`. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static unsigned long checks, failures;

#define CHECK(condition, ...)                                     \
  do {                                                            \
    checks += 1;                                                  \
    if (!(condition)) {                                           \
      failures += 1;                                              \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                               \
      fputc('\n', stderr);                                        \
    }                                                             \
  } while (0)

/* Prints what was checked; another count than this is a failure, too: nothing is passed over in silence. */
static int finish(unsigned long expected) {
  unsigned long done = checks;
  CHECK(done == expected, "%lu checks instead of %lu", done, expected);
  printf("%lu checks, %lu failures\n", done, failures);
  return failures == 0 ? 0 : 1;
}

#endif
