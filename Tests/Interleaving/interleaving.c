// The program that has this file has the simulation's threads meet where the seed says: it stands before the system's locks, conditions and
// random bytes. A thread holds the baton while it runs; whenever it takes or gives a lock, waits, wakes others, begins or ends, the seed says
// who has it next. Threads that the simulation did not start are left alone.
#define _GNU_SOURCE
#define OPENSSL_API_COMPAT 10101  // RAND_set_rand_method has no other form yet.
#include "interleaving.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

enum state { FREE, RUNNABLE, WAITING, WAITING_FOR_TIME };

struct thread {
  enum state state;
  int exists;  // A thread that ended waits to be another one, so that nothing of it is left to happen outside the simulation.
  pthread_t system;
  const void *awaited;  // the lock or condition
  int timed_out;
  int undivided;  // how many initialisers it is in, from which no other thread may go on
  sem_t baton;
  void *(*start)(void *);
  void *argument;
};

static struct thread threads[MOST_THREADS];
static __thread struct thread *me;
static int alive, used;  // how many are not free, and how many ever were
static uint64_t order, randomness, switches;
// One in so many times that threads may meet, they do; every history has its own.
static uint64_t rarity = 1;

// SplitMix64, as Tests/Simulation has it for the acts.
static uint64_t next_of(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Whoever has the baton next. If all wait, time passes until one of those that wait for time goes on; the thread that began is the last.
static struct thread *chosen(void) {
  struct thread *runnable[MOST_THREADS];
  size_t number = 0;
  for (int i = 0; i < used; i++) {
    if (threads[i].state == RUNNABLE) runnable[number++] = &threads[i];
  }
  if (number > 0) return runnable[next_of(&order) % number];
  for (int i = used - 1; i >= 0; i--) {
    if (threads[i].state != WAITING_FOR_TIME) continue;
    threads[i].state = RUNNABLE;
    threads[i].timed_out = 1;
    return &threads[i];
  }
  fputs("every thread waits for another: a deadlock\n", stderr);
  abort();
}

static void hand_over(struct thread *next) {
  switches++;
  sem_post(&next->baton);
}

static void await_baton(struct thread *thread) {
  while (sem_wait(&thread->baton) != 0) {}
}

static void give_way(void) {
  struct thread *next = chosen();
  if (next == me) return;
  hand_over(next);
  await_baton(me);
}

static void meet(void) {
  if (me && alive > 1 && me->undivided == 0 && next_of(&order) % rarity == 0) give_way();
}

// Threads meet at locks on the heap that the program's own code takes. The Swift runtime, a library of its own, and the arena, whose lock is in
// static memory, are also used by what happens once in a process: if threads met there, a history would depend on those before it.
static int is_shared(const void *lock, const void *caller) {
  extern char __executable_start, etext, end;  // ld(1), end(3)
  int is_own = (const char *)caller >= &__executable_start && (const char *)caller < &etext;
  return is_own && (const char *)lock >= &end;
}

#define MEET_AT(lock) \
  if (is_shared(lock, __builtin_return_address(0))) meet()

static void wait_for(const void *awaited, enum state state) {
  me->awaited = awaited;
  me->state = state;
  me->timed_out = 0;
  give_way();
}

static void wake(const void *awaited) {
  for (int i = 0; i < used; i++) {
    if ((threads[i].state == WAITING || threads[i].state == WAITING_FOR_TIME) && threads[i].awaited == awaited) threads[i].state = RUNNABLE;
  }
}

static struct thread *new_thread(void) {
  for (int i = 0; i < MOST_THREADS; i++) {
    if (threads[i].state != FREE) continue;
    if (!threads[i].exists) sem_init(&threads[i].baton, 0, 0);
    threads[i].state = RUNNABLE;
    alive++;
    if (i >= used) used = i + 1;
    return &threads[i];
  }
  abort();
}

// The functions that this file stands before. On x86-64 some have an older version, which is what dlsym would find.
static void *system_function(const char *name, const char *version) {
  void *function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  if (!function) function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

#define SYSTEM(name, version)                                             \
  ({                                                                      \
    static __typeof__(&name) found;                                       \
    if (!found) found = (__typeof__(&name))system_function(#name, version); \
    found;                                                                \
  })

// A lock that another thread of the simulation has is waited for with the baton given away.
#define AWAIT(lock, attempt)                                          \
  ({                                                                  \
    int error;                                                        \
    while ((error = attempt(lock)) == EBUSY) wait_for(lock, WAITING); \
    error;                                                            \
  })

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!me) return SYSTEM(pthread_mutex_lock, NULL)(mutex);
  MEET_AT(mutex);
  return AWAIT(mutex, pthread_mutex_trylock);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  int error = SYSTEM(pthread_mutex_unlock, NULL)(mutex);
  if (!me || alive == 1) return error;
  wake(mutex);
  MEET_AT(mutex);
  return error;
}

// OpenSSL's: nobody has to meet there.
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  if (!me) return SYSTEM(pthread_rwlock_rdlock, NULL)(lock);
  return AWAIT(lock, pthread_rwlock_tryrdlock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (!me) return SYSTEM(pthread_rwlock_wrlock, NULL)(lock);
  return AWAIT(lock, pthread_rwlock_trywrlock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  int error = SYSTEM(pthread_rwlock_unlock, NULL)(lock);
  if (me && alive > 1) wake(lock);
  return error;
}

static int wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, enum state state) {
  SYSTEM(pthread_mutex_unlock, NULL)(mutex);
  wake(mutex);
  wait_for(condition, state);
  int error = me->timed_out ? ETIMEDOUT : 0;
  AWAIT(mutex, pthread_mutex_trylock);
  return error;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (!me) return SYSTEM(pthread_cond_wait, "GLIBC_2.3.2")(condition, mutex);
  return wait_on(condition, mutex, WAITING);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
  if (!me) return SYSTEM(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, end);
  return wait_on(condition, mutex, WAITING_FOR_TIME);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (!me) return SYSTEM(pthread_cond_broadcast, "GLIBC_2.3.2")(condition);
  wake(condition);
  MEET_AT(condition);
  return 0;
}

// Wakes all, which a condition allows: they look again.
int pthread_cond_signal(pthread_cond_t *condition) {
  if (!me) return SYSTEM(pthread_cond_signal, "GLIBC_2.3.2")(condition);
  return pthread_cond_broadcast(condition);
}

int pthread_once(pthread_once_t *control, void (*initialise)(void)) {
  if (me) me->undivided++;
  int error = SYSTEM(pthread_once, NULL)(control, initialise);
  if (me) me->undivided--;
  return error;
}

static void *run_threads(void *argument) {
  me = argument;
  for (;;) {
    await_baton(me);
    me->start(me->argument);
    me->state = FREE;
    alive--;
    hand_over(chosen());
  }
}

// Every thread is as one that was detached, with a stack of the usual size.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  if (!me) return SYSTEM(pthread_create, "GLIBC_2.34")(thread, attributes, start, argument);
  struct thread *new = new_thread();
  new->start = start;
  new->argument = argument;
  if (!new->exists && SYSTEM(pthread_create, "GLIBC_2.34")(&new->system, NULL, run_threads, new) != 0) abort();
  new->exists = 1;
  *thread = new->system;
  meet();
  return 0;
}

ssize_t getrandom(void *buffer, size_t count, unsigned int flags) {
  if (!me) return syscall(SYS_getrandom, buffer, count, flags);
  uint8_t *out = buffer;
  for (size_t i = 0; i < count; i++) out[i] = (uint8_t)next_of(&randomness);
  return (ssize_t)count;
}

static int random_bytes(unsigned char *buffer, int count) { return getrandom(buffer, (size_t)count, 0) == count; }
static int is_seeded(void) { return 1; }

void interleaving_begin(uint64_t seed) {
  static RAND_METHOD method = {.bytes = random_bytes, .pseudorand = random_bytes, .status = is_seeded};
  if (!me) {
    me = new_thread();
    me->exists = 1;
  }
  RAND_set_rand_method(&method);
  // Idle threads of the history before end.
  for (int before = 0; alive > 1 && alive != before;) {
    before = alive;
    wait_for(NULL, WAITING_FOR_TIME);
  }
  order = seed;
  rarity = (uint64_t)1 << (next_of(&order) % 4 * 2);
  randomness = ~seed;
}

struct call {
  void (*body)(void *, int);
  void *context;
  int number;
  int is_done;
};

static void *run_call(void *argument) {
  struct call *call = argument;
  call->body(call->context, call->number);
  call->is_done = 1;
  wake(call);
  return NULL;
}

void interleaving_run(int count, void (*body)(void *, int), void *context) {
  struct call calls[8];
  if (count < 0 || count > 8) abort();
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    calls[i] = (struct call){body, context, i, 0};
    pthread_create(&thread, NULL, run_call, &calls[i]);
  }
  for (int i = 0; i < count; i++) {
    while (!calls[i].is_done) wait_for(&calls[i], WAITING);
  }
}

uint64_t interleaving_switches(void) { return switches; }
