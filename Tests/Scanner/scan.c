// scan-memory PID ROUNDS: reads everything that can be written of a process, again and again while it works, and looks for secrets.
//
// Standard input: lines "NAME HEX" that are looked for in every round, then an empty line; once "scanned" stands on standard output,
// further lines that are looked for in what the rounds saw of thread stacks, for secrets that are known only afterwards.
// Each secret of 16 bytes or more is looked for in pieces of 16 bytes at every multiple of 16, forwards and reversed: an unwiped
// limb, an AES round key or half a scalar is a find. Then one line each: "find NAME MAPPING", and last "rounds N read BYTES refused BYTES".
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 16, PAGE = 4096, MOST_NEEDLES = 1 << 20, MOST_MAPS = 4096, MOST_PAGES = 1 << 16, SLOTS = 1 << 18 };

struct needle {
  char name[48];
  uint8_t bytes[PIECE];
  int next;  // with the same first two bytes
  int found;
};

static struct needle *needles;
static int needle_count, heads[1 << 16];

struct map {
  uint64_t start, end;
  int is_stack;
  char name[64];
};

static struct map maps[MOST_MAPS];
static uint64_t total_read, total_refused;
static uint8_t *pages;  // distinct pages of thread stacks
static int page_count;
static uint64_t seen[SLOTS];

static void fail(const char *why) {
  fprintf(stderr, "scan-memory: %s\n", why);
  exit(2);
}

static void add(const char *name, const uint8_t *bytes, int step) {
  if (needle_count == MOST_NEEDLES) fail("too many secrets");
  struct needle *needle = &needles[needle_count];
  snprintf(needle->name, sizeof needle->name, "%.40s", name);
  for (int i = 0; i < PIECE; i++) needle->bytes[i] = bytes[i * step];
  int head = needle->bytes[0] | needle->bytes[1] << 8;
  needle->next = heads[head];
  heads[head] = ++needle_count;
}

// Until an empty line or the end.
static void read_needles(void) {
  static char line[1 << 16];
  while (fgets(line, sizeof line, stdin)) {
    char *hex = strchr(line, ' ');
    if (!hex) return;
    *hex++ = '\0';
    static uint8_t secret[1 << 15];
    size_t count = strspn(hex, "0123456789abcdef") / 2;
    for (size_t i = 0; i < count; i++) sscanf(hex + 2 * i, "%2hhx", &secret[i]);
    for (size_t i = 0; i + PIECE <= count; i += PIECE) {
      add(line, secret + i, 1);
      add(line, secret + i + PIECE - 1, -1);
    }
  }
}

static void search(const uint8_t *bytes, size_t count, const char *where) {
  for (size_t i = 0; i + PIECE <= count; i++)
    for (int at = heads[bytes[i] | bytes[i + 1] << 8]; at; at = needles[at - 1].next) {
      struct needle *needle = &needles[at - 1];
      if (needle->found || memcmp(bytes + i, needle->bytes, PIECE) != 0) continue;
      needle->found = 1;
      printf("find %s %s\n", needle->name, where);
    }
}

static void keep(const uint8_t *page) {
  uint64_t hash = 14695981039346656037u, any = 0;
  for (int i = 0; i < PAGE; i += 8) {
    uint64_t word;
    memcpy(&word, page + i, 8);
    any |= word;
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 29;
  }
  if (!any || page_count == MOST_PAGES) return;
  uint64_t slot = hash % SLOTS;
  while (seen[slot] && seen[slot] != hash) slot = (slot + 1) % SLOTS;
  if (seen[slot]) return;
  seen[slot] = hash;
  memcpy(pages + (size_t)page_count++ * PAGE, page, PAGE);
}

static int read_maps(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail("no such process");
  static char line[4096];
  int count = 0, after_guard = 0;
  while (count < MOST_MAPS && fgets(line, sizeof line, file)) {
    struct map *map = &maps[count];
    char access[8] = "", name[64] = "anonymous";
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %63s", &map->start, &map->end, access, name) < 3) continue;
    // A thread's stack is what follows a guard page; the main one has a name.
    map->is_stack = (after_guard && strcmp(name, "anonymous") == 0) || strcmp(name, "[stack]") == 0;
    after_guard = strncmp(access, "---p", 4) == 0 && map->end - map->start == PAGE;
    if (strncmp(access, "rw", 2) != 0) continue;
    snprintf(map->name, sizeof map->name, "%s", map->is_stack ? "stack" : name);
    count++;
  }
  fclose(file);
  return count;
}

static void scan(int memory, const struct map *map) {
  static uint8_t buffer[1 << 20];
  // Pieces overlap, so that nothing is missed between two.
  for (uint64_t at = map->start; at < map->end; at += sizeof buffer - PAGE) {
    size_t wanted = map->end - at < sizeof buffer ? map->end - at : sizeof buffer;
    ssize_t count = pread(memory, buffer, wanted, (off_t)at);
    if (count <= 0) {
      total_refused += wanted;
      continue;
    }
    total_read += (uint64_t)count;
    search(buffer, (size_t)count, map->name);
    if (map->is_stack)
      for (ssize_t page = 0; page + PAGE <= count; page += PAGE) keep(buffer + page);
    if (wanted < sizeof buffer) return;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: scan-memory PID ROUNDS");
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/mem", argv[1]);
  int memory = open(path, O_RDONLY);
  if (memory < 0) fail("no such process");
  snprintf(path, sizeof path, "/proc/%s/maps", argv[1]);
  needles = calloc(MOST_NEEDLES, sizeof *needles);
  pages = malloc((size_t)MOST_PAGES * PAGE);
  if (!needles || !pages) fail("no memory");
  read_needles();
  int rounds = atoi(argv[2]), map_count = 0;
  for (int round = 0; round < rounds; round++) {
    // Stacks come and go with connections.
    if (round % 50 == 0) map_count = read_maps(path);
    for (int i = 0; i < map_count; i++) scan(memory, &maps[i]);
  }
  printf("scanned\n");
  fflush(stdout);
  read_needles();
  for (int i = 0; i < page_count; i++) search(pages + (size_t)i * PAGE, PAGE, "stack");
  printf("rounds %d read %lu refused %lu pages %d\n", rounds, total_read, total_refused, page_count);
}
