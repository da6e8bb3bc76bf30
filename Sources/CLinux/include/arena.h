// The secret arena: one locked mapping that holds every key byte and all of OpenSSL's heap.
// A buddy allocator: blocks are powers of two from 64 bytes, and are zeroed when they are freed.
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
  size_t peak;      // the most so far, with the freed blocks that were kept for reuse: 1 MiB at most
};

// Maps `bytes` (a power of two, at least a page) of secret memory, once per process. Returns 0 or an errno:
// EALREADY if it was installed before, EINVAL for a wrong size, otherwise the kernel's error for the last kind tried.
int kist_arena_install(size_t bytes, int allow_mlock_fallback);

// A zeroed block, or NULL if the arena is full or not installed.
void *kist_arena_alloc(size_t size);
// Zeroes and frees a block; ignores NULL. Traps for anything but a live block, and so for a block freed before.
void kist_arena_free(void *block);
struct kist_arena_usage kist_arena_usage(void);
// Whether `pointer` lies inside the arena.
int kist_arena_contains(const void *pointer);

// The signatures that CRYPTO_set_mem_functions expects.
void *kist_arena_openssl_malloc(size_t size, const char *file, int line);
void *kist_arena_openssl_realloc(void *block, size_t size, const char *file, int line);
void kist_arena_openssl_free(void *block, const char *file, int line);
