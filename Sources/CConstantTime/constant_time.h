/* What `make ct` tells valgrind. In other builds these functions do nothing.

   A secret counts as uninitialised memory, so valgrind reports each branch and each address that depends on it, as
   A. Langley's ctgrind and BoringSSL's constant-time tests do. */
#ifndef KIST_CONSTANT_TIME_H
#define KIST_CONSTANT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef KIST_CHECK_CONSTANT_TIME
#include <valgrind/memcheck.h>

static inline void kist_mark_secret(void *bytes, size_t count) { (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }
static inline void kist_mark_public(void *bytes, size_t count) { (void)VALGRIND_MAKE_MEM_DEFINED(bytes, count); }
#else
static inline void kist_mark_secret(void *bytes, size_t count) { (void)bytes, (void)count; }
static inline void kist_mark_public(void *bytes, size_t count) { (void)bytes, (void)count; }
#endif

/* Says that a fact about a secret may become known, so that code may branch on it; each use says why. */
static inline bool kist_declassified(bool fact) {
  kist_mark_public(&fact, sizeof fact);
  return fact;
}

/* Likewise a number, such as a secret's length. */
static inline uint64_t kist_declassified_number(uint64_t number) {
  kist_mark_public(&number, sizeof number);
  return number;
}

#endif
