// The secret arena: one locked mapping that holds every key byte and all of OpenSSL's heap.
// Blocks are powers of two from 64 bytes (a buddy allocator); a block is zeroed when it is freed.
// Every function is thread-safe.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum kist_arena_kind {
  KIST_ARENA_NONE = 0,
  KIST_ARENA_MEMFD_SECRET = 1,  // unreadable from other processes, root included
  KIST_ARENA_MLOCK = 2,         // locked and left out of core dumps; root can read it
};

struct kist_arena_usage {
  int kind;         // enum kist_arena_kind
  size_t capacity;  // bytes mapped and locked
  size_t used;      // bytes in live blocks, rounded up to their powers of two
  size_t peak;      // the most `used` has been
};

// Maps `bytes` (a power of two, at least a page) of secret memory, once per process. Returns 0, or an errno:
// EALREADY when installed before, EINVAL for a size, else what the kernel said of the last kind tried.
int kist_arena_install(size_t bytes, int allow_mlock_fallback);

// A zero-filled block, or NULL when the arena is full or not installed.
void *kist_arena_alloc(size_t size);
// Zeroes and frees a block; NULL is ignored. Anything but a live block, a freed one included, traps.
void kist_arena_free(void *block);
struct kist_arena_usage kist_arena_usage(void);
// Whether `pointer` lies inside the arena.
int kist_arena_contains(const void *pointer);

// The signatures CRYPTO_set_mem_functions wants.
void *kist_arena_openssl_malloc(size_t size, const char *file, int line);
void *kist_arena_openssl_realloc(void *block, size_t size, const char *file, int line);
void kist_arena_openssl_free(void *block, const char *file, int line);
