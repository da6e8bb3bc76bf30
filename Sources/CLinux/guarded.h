// Blocks of locked pages for secrets, each between guard pages. Not for Swift: the arena and the stacks are built on these.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kist_guarded {
  uint8_t *first;  // block `i` begins at `first + i * stride`
  size_t bytes;    // the size of a block
  size_t stride;   // and with the guard page behind it
  int count;       // blocks that were mapped
  int kind;        // enum kist_arena_kind
};

// Maps `count` blocks of `bytes` each, in whole pages; fewer if the limit on locked memory allows no more.
// Returns 0, or if not even one can be mapped, the errno of the last kind tried.
int kist_map_guarded(size_t bytes, int count, int allow_mlock_fallback, struct kist_guarded *mapped);
