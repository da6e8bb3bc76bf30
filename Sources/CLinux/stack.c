#define _GNU_SOURCE
#include "stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "guarded.h"

#define MOST_STACKS 4096

static struct {
  pthread_mutex_t lock;
  pthread_cond_t given;
  struct kist_guarded mapped;
  // The first stack of each pool, and after the last one the number of all.
  int first[KIST_STACK_POOLS + 1];
  // A LIFO free list for each pool, from its first stack's place on, because the pages of a
  // recently used stack are already in memory.
  uint16_t free[MOST_STACKS];
  int free_count[KIST_STACK_POOLS];
} stacks = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};

int kist_stacks_install(const int counts[KIST_STACK_POOLS], size_t bytes, int allow_mlock_fallback) {
  int count = 0;
  for (int pool = 0; pool < KIST_STACK_POOLS; pool++) {
    if (counts[pool] < 0 || counts[pool] > MOST_STACKS) return EINVAL;
    count += counts[pool];
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (count < 1 || count > MOST_STACKS || bytes <= page || bytes % page != 0) return EINVAL;
  pthread_mutex_lock(&stacks.lock);
  int error = stacks.mapped.count > 0 ? EALREADY : kist_map_guarded(bytes - page, count, allow_mlock_fallback, &stacks.mapped);
  for (int pool = 0, first = 0; pool < KIST_STACK_POOLS && error == 0; pool++) {
    int left = stacks.mapped.count - first;
    int own = counts[pool] < left ? counts[pool] : left;
    for (int i = 0; i < own; i++) stacks.free[first + i] = (uint16_t)(first + i);
    stacks.free_count[pool] = own;
    stacks.first[pool + 1] = first += own;
  }
  pthread_mutex_unlock(&stacks.lock);
  return error;
}

struct kist_stacks_usage kist_stacks_usage(void) {
  return (struct kist_stacks_usage){stacks.mapped.kind, stacks.mapped.count, stacks.mapped.bytes};
}

int kist_stack_count(enum kist_stack_pool pool, int *used) {
  pthread_mutex_lock(&stacks.lock);
  int count = stacks.first[pool + 1] - stacks.first[pool];
  *used = count - stacks.free_count[pool];
  pthread_mutex_unlock(&stacks.lock);
  return count;
}

// Waits, because an ending thread gives its stack back a moment after others see its work as done.
void *kist_stack_take(enum kist_stack_pool pool) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 1;
  pthread_mutex_lock(&stacks.lock);
  int waited = 0;
  int *count = &stacks.free_count[pool];
  while (*count == 0 && waited == 0) waited = pthread_cond_clockwait(&stacks.given, &stacks.lock, CLOCK_MONOTONIC, &end);
  void *stack = NULL;
  if (*count > 0) stack = stacks.mapped.first + stacks.free[stacks.first[pool] + --*count] * stacks.mapped.stride;
  pthread_mutex_unlock(&stacks.lock);
  return stack;
}

void kist_stack_give(void *stack) {
  explicit_bzero(stack, stacks.mapped.bytes);
  size_t number = (size_t)((uint8_t *)stack - stacks.mapped.first) / stacks.mapped.stride;
  int pool = 0;
  while ((int)number >= stacks.first[pool + 1]) pool++;
  pthread_mutex_lock(&stacks.lock);
  stacks.free[stacks.first[pool] + stacks.free_count[pool]++] = (uint16_t)number;
  pthread_mutex_unlock(&stacks.lock);
  // To all, since a thread that waits for another pool's would swallow the signal.
  pthread_cond_broadcast(&stacks.given);
}

// kist_switch_stack(top, body, argument): calls body(argument) with the stack pointer at `top`. The frame pointer, which callees
// preserve, leads back; debuggers and unwinders follow it too.
void kist_switch_stack(void *top, void (*body)(void *), void *argument) __attribute__((visibility("hidden")));

#if defined(__x86_64__)  // System V psABI
__asm__(
    ".text\n"
    ".globl kist_switch_stack\n"
    ".hidden kist_switch_stack\n"
    ".type kist_switch_stack, @function\n"
    "kist_switch_stack:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  mov %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  mov %rdi, %rsp\n"
    "  mov %rdx, %rdi\n"
    "  call *%rsi\n"
    "  mov %rbp, %rsp\n"
    "  pop %rbp\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size kist_switch_stack, . - kist_switch_stack\n");
#elif defined(__aarch64__)  // AAPCS64
__asm__(
    ".text\n"
    ".globl kist_switch_stack\n"
    ".hidden kist_switch_stack\n"
    ".type kist_switch_stack, %function\n"
    "kist_switch_stack:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset x29, -16\n"
    "  .cfi_offset x30, -8\n"
    "  mov x29, sp\n"
    "  .cfi_def_cfa_register x29\n"
    "  mov sp, x0\n"
    "  mov x0, x2\n"
    "  blr x1\n"
    "  mov sp, x29\n"
    "  .cfi_def_cfa_register sp\n"
    "  ldp x29, x30, [sp], #16\n"
    "  .cfi_def_cfa_offset 0\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size kist_switch_stack, . - kist_switch_stack\n");
#else
#error "kist_switch_stack is not written for this architecture"
#endif

struct call {
  void (*body)(void *);
  void *argument;
  // The stack that was switched from, as AddressSanitizer knows it.
  const void *left;
  size_t left_bytes;
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef HAS_ADDRESS_SANITIZER
// <sanitizer/common_interface_defs.h>
void __sanitizer_start_switch_fiber(void **fake_stack_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack_save, const void **bottom_old, size_t *size_old);
#else
static void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size) { (void)save, (void)bottom, (void)size; }
static void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size) { (void)save, (void)bottom, (void)size; }
#endif

static void run(void *raw) {
  struct call *call = raw;
  __sanitizer_finish_switch_fiber(NULL, &call->left, &call->left_bytes);
  call->body(call->argument);
  __sanitizer_start_switch_fiber(NULL, call->left, call->left_bytes);
}

void kist_stack_call(void *stack, size_t bytes, void (*body)(void *), void *argument) {
  struct call call = {.body = body, .argument = argument};
  void *fake_stack = NULL;
  __sanitizer_start_switch_fiber(&fake_stack, stack, bytes);
  kist_switch_stack((uint8_t *)stack + bytes, run, &call);
  __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
}
