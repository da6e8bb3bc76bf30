// sample-stacks PID SECONDS [filtered]: has perf copy the stacks of a process's threads while they work, and looks in them for a secret.
//
// Standard input: the secret's bytes in hexadecimal. Counts the samples that hold 16 of them in a row, at any multiple of 16, and prints
// "samples N found N"; "refused ERROR" if the kernel gives no samples. With `filtered` a seccomp filter refuses perf_event_open(2) first, as
// that of a unit does.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 16, LONGEST = 512, PAGE = 4096, RING = 256 * PAGE, MOST_THREADS = 64, STACK = 32 << 10 };

static uint8_t secret[LONGEST];
static size_t secret_count;
static long samples, found;

static void filter(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) exit(71);
}

static void look(const uint8_t *stack, size_t count) {
  samples++;
  for (size_t piece = 0; piece + PIECE <= secret_count; piece += PIECE)
    if (memmem(stack, count, secret + piece, PIECE)) {
      found++;
      return;
    }
}

// A record, which wraps around at the ring's end, without its header: the stack's size, the stack, and how much of it is real.
static void take(const uint8_t *ring, uint64_t at) {
  static uint8_t record[64 << 10];
  struct perf_event_header header;
  for (size_t i = 0; i < sizeof header; i++) ((uint8_t *)&header)[i] = ring[(at + i) % RING];
  if (header.type != PERF_RECORD_SAMPLE) return;
  size_t count = header.size - sizeof header;
  for (size_t i = 0; i < count; i++) record[i] = ring[(at + sizeof header + i) % RING];
  uint64_t size, real = 0;
  memcpy(&size, record, sizeof size);
  if (size) memcpy(&real, record + sizeof size + size, sizeof real);
  look(record + sizeof size, real);
}

static void drain(struct perf_event_mmap_page *page) {
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
  const uint8_t *ring = (const uint8_t *)page + PAGE;
  while (tail < head) {
    struct perf_event_header header;
    for (size_t i = 0; i < sizeof header; i++) ((uint8_t *)&header)[i] = ring[(tail + i) % RING];
    take(ring, tail);
    tail += header.size;
  }
  __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  char hex[2 * LONGEST + 2] = "", path[64];
  if (!fgets(hex, sizeof hex, stdin)) return 64;
  for (; sscanf(hex + 2 * secret_count, "%2hhx", &secret[secret_count]) == 1; secret_count++) {}
  if (argc > 3) filter();
  struct perf_event_attr event = {
      .size = sizeof event, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 50000,
      .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = STACK, .exclude_kernel = 1,
  };
  struct perf_event_mmap_page *pages[MOST_THREADS];
  int count = 0, refusal = 0;
  snprintf(path, sizeof path, "/proc/%s/task", argv[1]);
  DIR *threads = opendir(path);
  for (struct dirent *entry; threads && count < MOST_THREADS && (entry = readdir(threads));) {
    int thread = atoi(entry->d_name);
    if (!thread) continue;
    int descriptor = (int)syscall(SYS_perf_event_open, &event, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    void *mapped = descriptor < 0 ? MAP_FAILED : mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) refusal = errno;
    else pages[count++] = mapped;
  }
  if (!count) return printf("refused %s\n", strerrorname_np(refusal)) < 0;
  for (time_t end = time(NULL) + atoi(argv[2]); time(NULL) < end; usleep(2000))
    for (int i = 0; i < count; i++) drain(pages[i]);
  printf("samples %ld found %ld\n", samples, found);
}
