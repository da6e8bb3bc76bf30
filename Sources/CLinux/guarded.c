#define _GNU_SOURCE
#include "guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"

// Everything around a block stays inaccessible, so that an overrun faults.
static int map_block(uint8_t *start, size_t bytes, int fd, int flags, off_t offset) {
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, offset) == MAP_FAILED) return errno;
  // A forked child must not map the keys as well, and no dump may contain them. Memory of memfd_secret is always locked.
  if (madvise(start, bytes, MADV_DONTFORK) == 0 && madvise(start, bytes, MADV_DONTDUMP) == 0 && (fd >= 0 || mlock(start, bytes) == 0)) return 0;
  int error = errno;
  mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return error;
}

static int map_blocks(size_t bytes, int count, int fd, struct kist_guarded *mapped) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t stride = bytes + page, whole = (size_t)count * stride + page;
  uint8_t *reserved = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return errno;
  int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  *mapped = (struct kist_guarded){.first = reserved + page, .stride = stride};
  int error = 0;
  while (mapped->count < count) {
    off_t offset = fd >= 0 ? (off_t)((size_t)mapped->count * bytes) : 0;
    error = map_block(mapped->first + (size_t)mapped->count * stride, bytes, fd, flags, offset);
    if (error) break;
    mapped->count++;
  }
  if (mapped->count > 0) return 0;
  munmap(reserved, whole);
  return error;
}

static int map_secret(size_t bytes, int count, struct kist_guarded *mapped) {
  int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
  if (fd < 0) return errno;
  int error = ftruncate(fd, (off_t)(bytes * (size_t)count)) == 0 ? map_blocks(bytes, count, fd, mapped) : errno;
  close(fd);
  if (error == 0) mapped->kind = KIST_ARENA_MEMFD_SECRET;
  return error;
}

int kist_map_guarded(size_t bytes, int count, int allow_mlock_fallback, struct kist_guarded *mapped) {
  int error = map_secret(bytes, count, mapped);
  if (error == 0 || !allow_mlock_fallback) return error;
  error = map_blocks(bytes, count, -1, mapped);
  if (error == 0) mapped->kind = KIST_ARENA_MLOCK;
  return error;
}
