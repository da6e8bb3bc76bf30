// Stacks in secret memory: what a thread keeps in its frames and spills from its registers cannot be read from outside.
// Every function is thread-safe.
#pragma once
#include <stddef.h>

struct kist_stacks_usage {
  int kind;      // enum kist_arena_kind
  int count;     // stacks mapped
  size_t bytes;  // size of each
};

// Maps up to `count` stacks of `bytes` each, once per process; kist_stacks_usage says how many the limit on locked memory allowed.
// Returns 0, or an errno: EALREADY when installed before, EINVAL for a size, else why there is not even one.
int kist_stacks_install(int count, size_t bytes, int allow_mlock_fallback);
struct kist_stacks_usage kist_stacks_usage(void);

// A stack that nobody uses, or NULL where there is none within a second.
void *kist_stack_take(void);
// Zeroes a stack and lets others have it.
void kist_stack_give(void *stack);

// Runs `body` on the stack whose lowest byte is `stack`, and comes back when it returns. The thread stays the same one, and its
// descriptor where it was: pthread_attr_setstack would move that into secret memory too, where the kernel cannot wake a joiner.
void kist_stack_call(void *stack, size_t bytes, void (*body)(void *), void *argument);
