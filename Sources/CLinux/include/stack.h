// Stacks in secret memory: other processes cannot read a thread's frames and the registers that it spills there.
// Every function is thread-safe.
#pragma once
#include <stddef.h>

struct kist_stacks_usage {
  int kind;      // enum kist_arena_kind
  int count;     // stacks mapped
  size_t bytes;  // size of each, without its guard page
};

// Whose a stack is: who has used up its own takes nobody else's.
enum kist_stack_pool { KIST_STACK_OWN, KIST_STACK_OPERATORS, KIST_STACK_SERVICES, KIST_STACK_POOLS };

// Maps up to so many stacks for every pool, once per process, each of `bytes` with its guard page; kist_stacks_usage
// tells how many the limit on locked memory allowed. If fewer, the last pools have fewer.
// Returns 0 or an errno: EALREADY if they were installed before, EINVAL for a wrong size, otherwise why not even one could be mapped.
int kist_stacks_install(const int counts[KIST_STACK_POOLS], size_t bytes, int allow_mlock_fallback);
struct kist_stacks_usage kist_stacks_usage(void);
// How many stacks a pool has; `used` tells how many of them are taken.
int kist_stack_count(enum kist_stack_pool pool, int *used);

// Takes a free stack of this pool, or returns NULL if there is none within a second.
void *kist_stack_take(enum kist_stack_pool pool);
// Zeroes a stack and frees it for others.
void kist_stack_give(void *stack);

// Runs `body` on the stack whose lowest byte is `stack`, and returns when it does. The thread and its descriptor stay the same:
// pthread_attr_setstack would put the descriptor into secret memory, where the kernel cannot wake a joiner.
void kist_stack_call(void *stack, size_t bytes, void (*body)(void *), void *argument);
