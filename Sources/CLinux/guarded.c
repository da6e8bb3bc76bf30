#define _GNU_SOURCE
#include "guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"

// Maps the next `count` blocks in one piece, which costs the kernel no more than one of them, and then closes the page behind each;
// behind the last is the next piece's or the reservation's. Whatever overruns a block faults.
static int map_piece(struct kist_guarded *mapped, size_t page, int count, int fd) {
  size_t offset = (size_t)mapped->count * mapped->stride, bytes = (size_t)count * mapped->stride - page;
  uint8_t *start = mapped->first + offset;
  int flags = MAP_FIXED | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset) == MAP_FAILED) return errno;
  // A forked child must not map the keys as well, and no dump may contain them. Memory of memfd_secret is always locked.
  int failed = madvise(start, bytes, MADV_DONTFORK) || madvise(start, bytes, MADV_DONTDUMP) || (fd < 0 && mlock(start, bytes));
  for (size_t end = mapped->stride; end < bytes && !failed; end += mapped->stride) failed = mprotect(start + end - page, page, PROT_NONE);
  if (!failed) return 0;
  int error = errno;
  mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return error;
}

static int map_blocks(size_t bytes, int count, int fd, struct kist_guarded *mapped) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), stride = bytes + page, whole = (size_t)count * stride + page;
  if (fd >= 0 && ftruncate(fd, (off_t)whole) != 0) return errno;
  uint8_t *reserved = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return errno;
  int kind = fd >= 0 ? KIST_ARENA_MEMFD_SECRET : KIST_ARENA_MLOCK, error = 0;
  *mapped = (struct kist_guarded){.first = reserved + page, .bytes = bytes, .stride = stride, .kind = kind};
  // Where the limit on locked memory allows no more, half as many, down to one.
  for (int piece = count; piece > 0;) {
    error = map_piece(mapped, page, piece, fd);
    if (error) piece /= 2;
    else mapped->count += piece;
    if (piece > count - mapped->count) piece = count - mapped->count;
  }
  if (mapped->count > 0) return 0;
  munmap(reserved, whole);
  return error;
}

int kist_map_guarded(size_t bytes, int count, int allow_mlock_fallback, struct kist_guarded *mapped) {
  int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
  int error = fd < 0 ? errno : map_blocks(bytes, count, fd, mapped);
  if (fd >= 0) close(fd);
  return error == 0 || !allow_mlock_fallback ? error : map_blocks(bytes, count, -1, mapped);
}
