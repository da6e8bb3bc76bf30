#include "guard.h"

#include <string.h>
#include <sys/mman.h>

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

void kist_guard_wipe(struct guard *guard) {
  explicit_bzero(guard->frames, guard->waiting);
  guard->waiting = 0;
}
