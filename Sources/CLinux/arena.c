#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIN_SHIFT 6  // 64-byte blocks: a cache line, and room for the two list links
#define MAX_ORDERS 26
#define IN_USE 0x80

// Metadata lives outside the arena, so that an overrun of a secret block cannot forge it.
// tag[i] describes the block that starts at unit i: its order, with IN_USE while it is handed out.
static struct {
  pthread_mutex_t lock;
  uint8_t *base;
  uint8_t *tag;
  size_t capacity;
  int top_order;
  int kind;
  size_t used, peak;
  struct node *free_list[MAX_ORDERS];
} arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct node {
  struct node *next, *previous;
};

static size_t unit_of(const void *block) { return (size_t)((const uint8_t *)block - arena.base) >> MIN_SHIFT; }
static size_t order_bytes(int order) { return (size_t)1 << (order + MIN_SHIFT); }

static void push(int order, void *block) {
  struct node *node = block;
  node->previous = NULL;
  node->next = arena.free_list[order];
  if (node->next) node->next->previous = node;
  arena.free_list[order] = node;
  arena.tag[unit_of(block)] = (uint8_t)order;
}

static void unlink_free(int order, struct node *node) {
  if (node->previous) node->previous->next = node->next;
  else arena.free_list[order] = node->next;
  if (node->next) node->next->previous = node->previous;
  node->next = node->previous = NULL;
}

static int order_for(size_t size) {
  int order = 0;
  while (order_bytes(order) < size) order++;
  return order;
}

// Guard pages on both sides turn an overrun of the arena itself into a fault.
static int map_arena(size_t bytes, int fd, int flags) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *reserved = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return errno;
  void *mapped = mmap(reserved + page, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
  if (mapped == MAP_FAILED) {
    int error = errno;
    munmap(reserved, bytes + 2 * page);
    return error;
  }
  arena.base = mapped;
  return 0;
}

static int map_memfd_secret(size_t bytes) {
  int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
  if (fd < 0) return errno;
  int error = ftruncate(fd, (off_t)bytes) == 0 ? map_arena(bytes, fd, MAP_SHARED) : errno;
  close(fd);
  if (error == 0) arena.kind = KIST_ARENA_MEMFD_SECRET;
  return error;
}

static int map_mlock(size_t bytes) {
  int error = map_arena(bytes, -1, MAP_PRIVATE | MAP_ANONYMOUS);
  if (error) return error;
  if (mlock(arena.base, bytes) != 0) {
    error = errno;
    munmap(arena.base, bytes);
    arena.base = NULL;
    return error;
  }
  arena.kind = KIST_ARENA_MLOCK;
  return 0;
}

int kist_arena_install(size_t bytes, int allow_mlock_fallback) {
  if (bytes < 4096 || (bytes & (bytes - 1)) != 0) return EINVAL;
  int top = order_for(bytes);
  if (top >= MAX_ORDERS) return EINVAL;
  pthread_mutex_lock(&arena.lock);
  int error = arena.base ? EALREADY : 0;
  if (!error) {
    size_t units = bytes >> MIN_SHIFT;
    arena.tag = mmap(NULL, units, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    error = arena.tag == MAP_FAILED ? errno : map_memfd_secret(bytes);
    if (error && arena.tag != MAP_FAILED && allow_mlock_fallback) error = map_mlock(bytes);
    if (error && arena.tag != MAP_FAILED) munmap(arena.tag, units);
  }
  if (!error) {
    // A forked child must not hold a second mapping of the keys, and no dump may contain them.
    madvise(arena.base, bytes, MADV_DONTFORK);
    madvise(arena.base, bytes, MADV_DONTDUMP);
    arena.capacity = bytes;
    arena.top_order = top;
    push(top, arena.base);
  }
  pthread_mutex_unlock(&arena.lock);
  return error;
}

void *kist_arena_alloc(size_t size) {
  if (size > arena.capacity) return NULL;
  int wanted = order_for(size);
  pthread_mutex_lock(&arena.lock);
  int order = wanted;
  while (order <= arena.top_order && !arena.free_list[order]) order++;
  void *block = NULL;
  if (arena.base && order <= arena.top_order) {
    block = arena.free_list[order];
    unlink_free(order, block);
    while (order > wanted) {
      order--;
      push(order, (uint8_t *)block + order_bytes(order));
    }
    arena.tag[unit_of(block)] = (uint8_t)(wanted | IN_USE);
    arena.used += order_bytes(wanted);
    if (arena.used > arena.peak) arena.peak = arena.used;
  }
  pthread_mutex_unlock(&arena.lock);
  return block;
}

void kist_arena_free(void *block) {
  if (!block) return;
  // A wild or double free of key memory is a fault of ours: stop at once.
  if (!kist_arena_contains(block)) __builtin_trap();
  uint8_t tag = arena.tag[unit_of(block)];
  if (!(tag & IN_USE)) __builtin_trap();
  int order = tag & ~IN_USE;
  explicit_bzero(block, order_bytes(order));
  pthread_mutex_lock(&arena.lock);
  arena.used -= order_bytes(order);
  arena.tag[unit_of(block)] = (uint8_t)order;
  while (order < arena.top_order) {
    size_t offset = (size_t)((uint8_t *)block - arena.base);
    uint8_t *buddy = arena.base + (offset ^ order_bytes(order));
    if (arena.tag[unit_of(buddy)] != order) break;
    unlink_free(order, (struct node *)buddy);
    arena.tag[unit_of(buddy)] = IN_USE;  // no longer a block of its own
    arena.tag[unit_of(block)] = IN_USE;
    if (buddy < (uint8_t *)block) block = buddy;
    order++;
  }
  push(order, block);
  pthread_mutex_unlock(&arena.lock);
}

struct kist_arena_usage kist_arena_usage(void) {
  pthread_mutex_lock(&arena.lock);
  struct kist_arena_usage usage = {arena.kind, arena.capacity, arena.used, arena.peak};
  pthread_mutex_unlock(&arena.lock);
  return usage;
}

int kist_arena_contains(const void *pointer) {
  return arena.base && (const uint8_t *)pointer >= arena.base && (const uint8_t *)pointer < arena.base + arena.capacity;
}

void *kist_arena_openssl_malloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  return size ? kist_arena_alloc(size) : NULL;
}

void *kist_arena_openssl_realloc(void *block, size_t size, const char *file, int line) {
  if (!block) return kist_arena_openssl_malloc(size, file, line);
  if (!size) {
    kist_arena_free(block);
    return NULL;
  }
  size_t held = order_bytes(arena.tag[unit_of(block)] & ~IN_USE);
  if (size <= held) return block;
  void *moved = kist_arena_alloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, held);
  kist_arena_free(block);
  return moved;
}

void kist_arena_openssl_free(void *block, const char *file, int line) {
  (void)file, (void)line;
  kist_arena_free(block);
}
