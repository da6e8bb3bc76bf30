/*
 * A disk whose syncs take MICROSECONDS longer, for the loader to put before the C library (benchmarks/durability.py).
 *
 * It sleeps by nanosleep(2), which the daemon may still call when it has confined itself.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Else the kernel adds 50 µs. Threads have it from the one that made them. */
__attribute__((constructor)) static void be_exact(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

static void wait_for_the_disk(void) {
  struct timespec left = {MICROSECONDS / 1000000, MICROSECONDS % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

int fdatasync(int descriptor) {
  wait_for_the_disk();
  return (int)syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) {
  wait_for_the_disk();
  return (int)syscall(SYS_fsync, descriptor);
}
