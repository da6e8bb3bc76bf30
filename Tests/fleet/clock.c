// Stands before the system's clock: a program that this is preloaded into sees the time shifted by as many seconds as a file holds (KIST_TEST_CLOCK,
// 8 bytes as the machine has them), and the file may change at any moment. Clocks that nobody can set are as ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static const volatile int64_t *shift;

// Before the program gives its rights away.
__attribute__((constructor)) static void begin(void) {
  real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, open(getenv("KIST_TEST_CLOCK"), O_RDONLY | O_CLOEXEC), 0);
  if (shift == MAP_FAILED) abort();
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *place) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (place) *place = exact.tv_sec;
  return exact.tv_sec;
}
