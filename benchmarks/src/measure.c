#include "measure.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One thread, and how long each of its calls took. */
struct worker {
  pthread_t thread;
  unsigned number;
  void *self;
  uint32_t *samples; /* ns */
  size_t count, room;
  size_t all; /* calls, warming included */
  bool is_wrong;
};

enum phase { WARMING, MEASURING, OVER };

static const struct work *work;
static pthread_barrier_t ready;
static _Atomic enum phase phase;
static _Atomic bool is_counted;
/* When the first thread had nothing left to do, or 0. */
static _Atomic uint64_t used_up;

static uint64_t clock_ns(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) fail("the server has ended");
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t nanoseconds(void) { return clock_ns(CLOCK_MONOTONIC); }

static void keep(struct worker *worker, uint64_t took) {
  if (worker->count == worker->room) {
    worker->room = worker->room ? 2 * worker->room : 1 << 14;
    worker->samples = realloc(worker->samples, worker->room * sizeof(uint32_t));
    if (!worker->samples) fail("no memory");
  }
  worker->samples[worker->count++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

static bool is_right(struct worker *worker) { return !work->verify || work->verify(worker->self); }

static void *run(void *argument) {
  struct worker *worker = argument;
  worker->self = work->make(worker->number);
  if (!worker->self) fail("%s: cannot be made", work->name);
  worker->is_wrong = work->once(worker->self) != DONE || !is_right(worker);
  pthread_barrier_wait(&ready);
  while (phase != OVER && !worker->is_wrong) {
    bool counts = phase == MEASURING;
    uint64_t began = nanoseconds();
    enum outcome outcome = work->once(worker->self);
    uint64_t ended = nanoseconds();
    worker->is_wrong = outcome == WRONG;
    if (outcome != DONE) {
      uint64_t unset = 0;
      atomic_compare_exchange_strong(&used_up, &unset, ended);
      break;
    }
    worker->all += 1;
    if (!counts || phase != MEASURING) continue;
    keep(worker, ended - began);
    is_counted = true;
  }
  worker->is_wrong = worker->is_wrong || !is_right(worker);
  return NULL;
}

static void nap(double seconds) {
  uint64_t until = nanoseconds() + (uint64_t)(seconds * 1e9);
  struct timespec little = {.tv_nsec = 2000000};
  while (nanoseconds() < until && !used_up) nanosleep(&little, NULL);
}

static int ascending(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Microseconds that a share of the calls did not exceed. */
static double quantile(const uint32_t *sorted, size_t count, double share) {
  return count ? sorted[(size_t)(share * (double)(count - 1))] / 1e3 : 0;
}

static void report(struct worker *workers, unsigned threads, double seconds, double own, double server) {
  size_t calls = 0, whole = 0;
  for (unsigned i = 0; i < threads; i++) {
    calls += workers[i].count;
    whole += workers[i].all;
  }
  uint32_t *all = malloc((calls + 1) * sizeof(uint32_t));
  if (!all || calls == 0) fail("%s: nothing was done in the time", work->name);
  size_t at = 0;
  for (unsigned i = 0; i < threads; i++) {
    if (workers[i].count) memcpy(all + at, workers[i].samples, workers[i].count * sizeof(uint32_t));
    at += workers[i].count;
  }
  qsort(all, calls, sizeof(uint32_t), ascending);
  size_t batch = work->batch ? work->batch : 1, count = calls * batch;
  printf("{\"count\": %zu, \"all\": %zu, \"seconds\": %.6f, \"rate\": %.1f, \"p50\": %.2f, \"p99\": %.2f, \"p999\": %.2f, \"client_us\": %.3f, "
         "\"server_us\": %.3f}\n",
         count, whole * batch, seconds, (double)count / seconds, quantile(all, calls, 0.5), quantile(all, calls, 0.99), quantile(all, calls, 0.999),
         own / 1e3 / (double)count, server / 1e3 / (double)count);
}

int measure(const struct work *measured, struct plan plan) {
  work = measured;
  clockid_t server = CLOCK_PROCESS_CPUTIME_ID;
  if (plan.server && clock_getcpuclockid(plan.server, &server) != 0) fail("there is no process %d", (int)plan.server);
  struct worker *workers = calloc(plan.threads, sizeof(*workers));
  if (!workers || pthread_barrier_init(&ready, NULL, plan.threads + 1) != 0) fail("no memory");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  for (unsigned i = 0; i < plan.threads; i++) {
    workers[i].number = i;
    if (pthread_create(&workers[i].thread, &attributes, run, &workers[i]) != 0) fail("cannot start a thread");
  }
  pthread_barrier_wait(&ready);
  nap(plan.seconds / 8);
  uint64_t own_before = clock_ns(CLOCK_PROCESS_CPUTIME_ID), server_before = clock_ns(server), began = nanoseconds();
  phase = MEASURING;
  nap(plan.seconds);
  /* On a machine that does something else. */
  while (!is_counted && !used_up) nap(plan.seconds);
  phase = OVER;
  uint64_t ended = nanoseconds(), server_after = clock_ns(server), own_after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  bool is_wrong = false;
  for (unsigned i = 0; i < plan.threads; i++) {
    pthread_join(workers[i].thread, NULL);
    is_wrong = is_wrong || workers[i].is_wrong;
  }
  if (is_wrong) {
    fprintf(stderr, "%s: a result was wrong\n", work->name);
    return 1;
  }
  double used = plan.server ? (double)(server_after - server_before) : 0;
  report(workers, plan.threads, (double)(ended - began) / 1e9, (double)(own_after - own_before), used);
  return 0;
}

bool check(const struct work *checked) {
  void *self = checked->make(0);
  if (!self) fail("%s: cannot be made", checked->name);
  bool is_right = checked->once(self) == DONE && checked->verify(self) && checked->once(self) == DONE && checked->verify(self);
  checked->spoil(self);
  bool is_noticed = !checked->verify(self);
  if (!is_right) fprintf(stderr, "%s: the result is wrong\n", checked->name);
  if (!is_noticed) fprintf(stderr, "%s: a wrong result is not noticed\n", checked->name);
  return is_right && is_noticed;
}

const struct work *work_named(const struct work *all, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(all[i].name, name) == 0) return &all[i];
  }
  fail("there is no operation %s", name);
}

double number(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || value <= 0) fail("%s is no number above zero", text);
  return value;
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(70);
}
