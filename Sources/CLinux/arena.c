#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guarded.h"

#define MIN_SHIFT 6  // 64-byte blocks: one cache line
#define MAX_ORDERS 26
#define WARM_ORDERS 6  // up to 2 KiB
#define WARM_LIMIT 32  // the most blocks of each of these orders on a shelf
#define SHELVES 8
#define NONE UINT32_MAX

// A unit's tag combines its block's order with one of these states; only the first unit of a block has a tag.
enum state { INSIDE = 0, FREE = 0x40, IN_USE = 0x80, LEAVING = 0xc0, STATE = 0xc0 };

// Bookkeeping is outside the arena, so that an overrun of a secret block cannot forge it.
struct unit {
  uint32_t next, previous;  // neighbours in the free list of this order
  uint8_t tag;
};

static struct {
  pthread_mutex_t lock;
  uint8_t *base;
  struct unit *units;
  size_t capacity;
  int top_order;
  int kind;
  size_t taken, peak;  // bytes that are in use or on a shelf, now and at most
  uint32_t free_list[MAX_ORDERS];
} arena = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

// LIFO caches of freed blocks, kept whole because most would be split off again at once. Threads are assigned to shelves
// round-robin, so that two threads that work at the same time seldom contend for one.
static struct shelf {
  // Taken after the arena's lock, or alone. No mutex, since locking one for each block was 5 % of a signature. A thread that allocates or
  // frees while another has the shelf does without it; only those who need every shelf wait.
  uint8_t is_taken;
  struct {
    uint32_t first, count;
  } warm[WARM_ORDERS];
} __attribute__((aligned(64))) shelves[SHELVES];

static size_t order_bytes(int order) { return (size_t)1 << (order + MIN_SHIFT); }
static void *block_at(uint32_t unit) { return arena.base + ((size_t)unit << MIN_SHIFT); }

static int order_for(size_t size) {
  if (size <= order_bytes(0)) return 0;
  return 64 - __builtin_clzl(size - 1) - MIN_SHIFT;
}

// Tags are atomic because kist_arena_free claims a block before it takes the lock.
static uint8_t tag_of(uint32_t unit) { return __atomic_load_n(&arena.units[unit].tag, __ATOMIC_RELAXED); }
static void set_tag(uint32_t unit, enum state state, int order) {
  __atomic_store_n(&arena.units[unit].tag, (uint8_t)(state | order), __ATOMIC_RELAXED);
}

// The first unit of a block; traps if the pointer cannot be a block, since that is a fault of ours.
static uint32_t unit_of(const void *block) {
  if (!kist_arena_contains(block)) __builtin_trap();
  size_t offset = (size_t)((const uint8_t *)block - arena.base);
  if (offset & (order_bytes(0) - 1)) __builtin_trap();
  return (uint32_t)(offset >> MIN_SHIFT);
}

static void push(int order, uint32_t unit) {
  uint32_t first = arena.free_list[order];
  arena.units[unit].next = first;
  arena.units[unit].previous = NONE;
  if (first != NONE) arena.units[first].previous = unit;
  arena.free_list[order] = unit;
  set_tag(unit, FREE, order);
}

static void unlink_free(int order, uint32_t unit) {
  struct unit *entry = &arena.units[unit];
  if (entry->previous == NONE) arena.free_list[order] = entry->next;
  else arena.units[entry->previous].next = entry->next;
  if (entry->next != NONE) arena.units[entry->next].previous = entry->previous;
  set_tag(unit, INSIDE, 0);
}

// Frees a block and merges it with its buddy, repeatedly, as long as the buddy is free.
static void merge(int order, uint32_t unit) {
  arena.taken -= order_bytes(order);
  set_tag(unit, INSIDE, 0);
  while (order < arena.top_order) {
    uint32_t buddy = unit ^ (1u << order);
    if (tag_of(buddy) != (FREE | order)) break;
    unlink_free(order, buddy);
    unit &= buddy;  // the lower of the two
    order++;
  }
  push(order, unit);
}

// Splits a block off the smallest free one that is large enough; NONE if there is none.
static uint32_t split_off(int wanted) {
  int order = wanted;
  while (order <= arena.top_order && arena.free_list[order] == NONE) order++;
  if (order > arena.top_order) return NONE;
  uint32_t unit = arena.free_list[order];
  unlink_free(order, unit);
  while (order > wanted) {
    order--;
    push(order, unit + (1u << order));
  }
  arena.taken += order_bytes(wanted);
  if (arena.taken > arena.peak) arena.peak = arena.taken;
  return unit;
}

static struct shelf *own_shelf(void) {
  static unsigned threads;
  static __thread struct shelf *own;
  if (!own) own = &shelves[__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % SHELVES];
  return own;
}

static int try_shelf(struct shelf *shelf) { return __atomic_exchange_n(&shelf->is_taken, 1, __ATOMIC_ACQUIRE) == 0; }
static void leave_shelf(struct shelf *shelf) { __atomic_store_n(&shelf->is_taken, 0, __ATOMIC_RELEASE); }
static void wait_for_shelf(struct shelf *shelf) {
  while (!try_shelf(shelf)) sched_yield();
}

// Called by whoever has the shelf.
static uint32_t pop_warm(struct shelf *shelf, int order) {
  if (shelf->warm[order].count == 0) return NONE;
  uint32_t unit = shelf->warm[order].first;
  shelf->warm[order].first = arena.units[unit].next;
  shelf->warm[order].count--;
  return unit;
}

static uint32_t take_warm(struct shelf *shelf, int order) {
  if (order >= WARM_ORDERS || !try_shelf(shelf)) return NONE;
  uint32_t unit = pop_warm(shelf, order);
  leave_shelf(shelf);
  return unit;
}

// A cached block stays tagged LEAVING, so that no buddy merges with it and a second free of it traps.
static int keep_warm(struct shelf *shelf, int order, uint32_t unit) {
  if (order >= WARM_ORDERS || !try_shelf(shelf)) return 0;
  int has_room = shelf->warm[order].count < WARM_LIMIT;
  if (has_room) {
    arena.units[unit].next = shelf->warm[order].first;
    shelf->warm[order].first = unit;
    shelf->warm[order].count++;
  }
  leave_shelf(shelf);
  return has_room;
}

// Called under the arena's lock. If no free block is large enough, merges the cached blocks of all shelves and tries again.
static uint32_t take_cold(int order) {
  uint32_t unit = split_off(order);
  if (unit != NONE) return unit;
  for (int shelf = 0; shelf < SHELVES; shelf++) {
    wait_for_shelf(&shelves[shelf]);
    for (int small = 0; small < WARM_ORDERS; small++)
      while ((unit = pop_warm(&shelves[shelf], small)) != NONE) merge(small, unit);
    leave_shelf(&shelves[shelf]);
  }
  return split_off(order);
}

// Bytes of the blocks that wait on shelves; called under the arena's lock. Counted when somebody asks: a counter of the bytes in use
// would be one cache line that all threads write with every block.
static size_t kept_bytes(void) {
  size_t kept = 0;
  for (int shelf = 0; shelf < SHELVES; shelf++) {
    wait_for_shelf(&shelves[shelf]);
    for (int order = 0; order < WARM_ORDERS; order++) kept += shelves[shelf].warm[order].count * order_bytes(order);
    leave_shelf(&shelves[shelf]);
  }
  return kept;
}

static int map_all(size_t bytes, int allow_mlock_fallback) {
  size_t table = (bytes >> MIN_SHIFT) * sizeof(struct unit);
  void *units = mmap(NULL, table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (units == MAP_FAILED) return errno;
  struct kist_guarded mapped;
  int error = kist_map_guarded(bytes, 1, allow_mlock_fallback, &mapped);
  if (error) {
    munmap(units, table);
    return error;
  }
  arena.base = mapped.first;
  arena.kind = mapped.kind;
  arena.units = units;
  arena.capacity = bytes;
  arena.top_order = order_for(bytes);
  for (int order = 0; order < MAX_ORDERS; order++) arena.free_list[order] = NONE;
  push(arena.top_order, 0);
  return 0;
}

int kist_arena_install(size_t bytes, int allow_mlock_fallback) {
  if (bytes < (size_t)sysconf(_SC_PAGESIZE) || (bytes & (bytes - 1)) != 0 || order_for(bytes) >= MAX_ORDERS) return EINVAL;
  pthread_mutex_lock(&arena.lock);
  int error = arena.base ? EALREADY : map_all(bytes, allow_mlock_fallback);
  pthread_mutex_unlock(&arena.lock);
  return error;
}

void *kist_arena_alloc(size_t size) {
  int order = order_for(size);
  uint32_t unit = take_warm(own_shelf(), order);
  if (unit == NONE) {
    pthread_mutex_lock(&arena.lock);
    unit = arena.base ? take_cold(order) : NONE;
    pthread_mutex_unlock(&arena.lock);
  }
  if (unit == NONE) return NULL;
  set_tag(unit, IN_USE, order);
  return block_at(unit);
}

void kist_arena_free(void *block) {
  if (!block) return;
  uint32_t unit = unit_of(block);
  // If a block is freed twice, exactly one call finds it IN_USE; the other traps, since that is a fault of ours.
  uint8_t tag = __atomic_exchange_n(&arena.units[unit].tag, LEAVING, __ATOMIC_RELAXED);
  if ((tag & STATE) != IN_USE) __builtin_trap();
  int order = tag & ~STATE;
  explicit_bzero(block, order_bytes(order));
  if (keep_warm(own_shelf(), order, unit)) return;
  pthread_mutex_lock(&arena.lock);
  merge(order, unit);
  pthread_mutex_unlock(&arena.lock);
}

struct kist_arena_usage kist_arena_usage(void) {
  pthread_mutex_lock(&arena.lock);
  struct kist_arena_usage usage = {arena.kind, arena.capacity, arena.taken - kept_bytes(), arena.peak};
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
  uint8_t tag = tag_of(unit_of(block));
  if ((tag & STATE) != IN_USE) __builtin_trap();
  size_t held = order_bytes(tag & ~STATE);
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
