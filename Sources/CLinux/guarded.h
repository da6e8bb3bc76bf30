// Blocks of locked pages for secrets, each between guard pages. Not for Swift: the arena and the stacks are made of these.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kist_guarded {
  uint8_t *first;  // block `i` begins at `first + i * stride`
  size_t stride;   // a block's bytes and the guard page behind it
  int count;       // blocks mapped
  int kind;        // enum kist_arena_kind
};

// Maps up to `count` blocks of `bytes` each, whole pages, and fewer where the limit on locked memory allows no more.
// Returns 0, or where there is not even one an errno: what the kernel said of the last kind tried.
int kist_map_guarded(size_t bytes, int count, int allow_mlock_fallback, struct kist_guarded *mapped);
