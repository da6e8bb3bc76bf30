/* Start, end, fork, and the lock that guards everything. */
#include "module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Which process has called C_Initialize; 0 for none. */
static _Atomic(pid_t) owner;
/* Which process the lock is of: a child's is made anew, since one of the parent's threads may have held it. */
static _Atomic(pid_t) lock_owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Held by who asks for keys; so many threads that begin at once ask once, by one connection. */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
/* The application's own lock, if it wants that used. */
static CK_C_INITIALIZE_ARGS application;
static void *application_lock;
/* How many are about to take it: it can be given back only without them. */
static atomic_int waiting;

static bool take(void) {
  if (!application_lock) return pthread_mutex_lock(&lock) == 0;
  atomic_fetch_add(&waiting, 1);
  bool is_taken = application.LockMutex(application_lock) == CKR_OK;
  atomic_fetch_sub(&waiting, 1);
  return is_taken;
}

CK_RV module_lock(void) {
  pid_t self = getpid();
  if (atomic_load(&owner) != self) return CKR_CRYPTOKI_NOT_INITIALIZED;
  if (!take()) return CKR_GENERAL_ERROR;
  if (atomic_load(&owner) == self) return CKR_OK;
  module_unlock();
  return CKR_CRYPTOKI_NOT_INITIALIZED;
}

void listing_lock(void) { pthread_mutex_lock(&listing); }

void listing_unlock(void) { pthread_mutex_unlock(&listing); }

void module_unlock(void) {
  if (application_lock)
    application.UnlockMutex(application_lock);
  else
    pthread_mutex_unlock(&lock);
}

/* §5.1.3: all four functions for locks or none. */
static CK_RV choose_lock(const CK_C_INITIALIZE_ARGS *arguments) {
  application_lock = NULL;
  if (!arguments) return CKR_OK;
  if (arguments->pReserved) return CKR_ARGUMENTS_BAD;
  int given = !!arguments->CreateMutex + !!arguments->DestroyMutex + !!arguments->LockMutex + !!arguments->UnlockMutex;
  if (given != 0 && given != 4) return CKR_ARGUMENTS_BAD;
  if (given == 0 || arguments->flags & CKF_OS_LOCKING_OK) return CKR_OK;
  application = *arguments;
  return application.CreateMutex(&application_lock) == CKR_OK ? CKR_OK : CKR_CANT_LOCK;
}

CK_RV C_Initialize(void *init_args) {
  pid_t self = getpid(), before = atomic_load(&lock_owner);
  if (before != self && atomic_compare_exchange_strong(&lock_owner, &before, self)) {
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&listing, NULL);
  }
  // The system's, since the application's is not there yet.
  pthread_mutex_lock(&lock);
  CK_RV result = CKR_CRYPTOKI_ALREADY_INITIALIZED;
  if (atomic_load(&owner) != self) {
    result = choose_lock(init_args);
    if (result == CKR_OK) {
      if (atomic_load(&owner)) slots_abandon();
      slots_open();
      atomic_store(&owner, self);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

CK_RV C_Finalize(void *reserved) {
  if (reserved) return CKR_ARGUMENTS_BAD;
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  // C_Initialize takes the system's.
  if (application_lock) pthread_mutex_lock(&lock);
  slots_close();
  atomic_store(&owner, 0);
  if (application_lock) pthread_mutex_unlock(&lock);
  module_unlock();
  if (application_lock && atomic_load(&waiting) == 0) application.DestroyMutex(application_lock);
  return CKR_OK;
}

void pad(unsigned char *field, size_t size, const char *text) {
  size_t count = strlen(text);
  memset(field, ' ', size);
  memcpy(field, text, count < size ? count : size);
}

CK_RV C_GetInfo(CK_INFO *info) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  module_unlock();
  if (!info) return CKR_ARGUMENTS_BAD;
  *info = (CK_INFO){.cryptokiVersion = {3, 1}};
  pad(info->manufacturerID, sizeof info->manufacturerID, "Kist");
  pad(info->libraryDescription, sizeof info->libraryDescription, "Keys that stay in kistd");
  unsigned major = 0, minor = 0;
  if (sscanf(kist_version(), "%u.%u", &major, &minor) == 2) info->libraryVersion = (CK_VERSION){(uint8_t)major, (uint8_t)minor};
  return CKR_OK;
}

void complain(const char *tried, enum kist_result result, const struct kist_outcome *outcome) {
  if (!secure_getenv("KIST_PKCS11_DEBUG")) return;
  fprintf(stderr, "kist-pkcs11: %s: %s", tried, kist_result_name(result));
  if (outcome->audit_sequence != KIST_UNAUDITED) fprintf(stderr, " (audit record %llu)", (unsigned long long)outcome->audit_sequence);
  if (outcome->system_error) fprintf(stderr, ": %s", strerror(outcome->system_error));
  if (outcome->breach[0]) fprintf(stderr, ": %s", outcome->breach);
  fputc('\n', stderr);
}

CK_RV refusal(const char *tried, enum kist_result result, const struct kist_outcome *outcome) {
  complain(tried, result, outcome);
  switch (result) {
  case KIST_OK: return CKR_OK;
  case KIST_E_ENDPOINT:
  case KIST_E_UNREACHABLE:
  case KIST_E_DISCONNECTED:
  case KIST_E_TIMEOUT: return CKR_DEVICE_REMOVED;
  case KIST_DENIED: return CKR_KEY_FUNCTION_NOT_PERMITTED;
  case KIST_APPROVAL_NEEDED: return CKR_FUNCTION_REJECTED;
  case KIST_BUSY:
  case KIST_E_FULL: return CKR_TOKEN_RESOURCE_EXCEEDED;
  case KIST_E_MEMORY: return CKR_HOST_MEMORY;
  case KIST_REJECTED:
  case KIST_MALFORMED:
  case KIST_UNSUPPORTED:
  case KIST_E_REQUEST: return CKR_FUNCTION_FAILED;
  case KIST_LOCKED:
  case KIST_AUDIT_UNAVAILABLE:
  case KIST_INTERNAL:
  case KIST_E_REPLY:
  case KIST_E_ROOM:
  case KIST_E_ORDER:
  case KIST_E_NO_KEY:
  case KIST_E_SEVERAL_KEYS: break;
  }
  return CKR_DEVICE_ERROR;
}

bool grow(void *array, size_t *room, size_t count, size_t size) {
  if (count < *room) return true;
  size_t more = *room ? *room * 2 : 16;
  void *grown = reallocarray(*(void **)array, more, size);
  if (!grown) return false;
  *(void **)array = grown;
  *room = more;
  return true;
}

uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
}
