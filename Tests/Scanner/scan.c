// scan-memory PID ROUNDS: reads everything that can be read of a process, again and again while it works, and looks for secrets.
//
// Standard input: lines "NAME HEX" that are looked for in every round, then an empty line; once "scanned" stands on standard output,
// further lines that are looked for in what the rounds saw of thread stacks, for secrets that are known only afterwards.
// A secret is looked for in pieces of 16 bytes at every multiple of 16, forwards and reversed: an unwiped limb, an AES round key or
// half a scalar is a find; one of 8 to 15 bytes whole. Its first bytes are looked for as text too: hex in either case, base64 at
// each of its three alignments. Then one line each: "find NAME FORM MAPPING", and last "rounds N read BYTES refused BYTES pages N".
// The first round reads all mappings, the others those that can be written.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 16, LEAST = 8, LONGEST = 32, PAGE = 4096, MOST_NEEDLES = 1 << 20, MOST_MAPS = 4096, MOST_PAGES = 1 << 16, SLOTS = 1 << 18 };

struct needle {
  char name[48];
  const char *form;
  uint8_t bytes[LONGEST];
  int count;
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

static void add(const char *name, const char *form, const uint8_t *bytes, int count, int step) {
  if (count < LEAST) return;
  if (needle_count == MOST_NEEDLES) fail("too many secrets");
  struct needle *needle = &needles[needle_count];
  snprintf(needle->name, sizeof needle->name, "%.40s", name);
  needle->form = form;
  needle->count = count < LONGEST ? count : LONGEST;
  for (int i = 0; i < needle->count; i++) needle->bytes[i] = bytes[i * step];
  int head = needle->bytes[0] | needle->bytes[1] << 8;
  needle->next = heads[head];
  heads[head] = ++needle_count;
}

static void add_pieces(const char *name, const uint8_t *secret, int count) {
  int piece = count < PIECE ? count : PIECE;
  for (int i = 0; i + piece <= count; i += piece) {
    add(name, "bytes", secret + i, piece, 1);
    add(name, "reversed", secret + i + piece - 1, piece, -1);
  }
}

static void add_hex(const char *name, const char *digits, const uint8_t *secret, int count) {
  uint8_t text[LONGEST];
  int length = 0;
  for (int i = 0; i < count && length < LONGEST; i++) {
    text[length++] = digits[secret[i] >> 4];
    text[length++] = digits[secret[i] & 15];
  }
  add(name, digits[10] == 'a' ? "hex" : "HEX", text, length, 1);
}

// As it stands in the base64 of something longer, `before` bytes into a group of three: the characters that it alone decides.
static void add_base64(const char *name, int before, const uint8_t *secret, int count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t text[LONGEST];
  int length = 0;
  for (int i = (3 - before) % 3; i + 3 <= count && length < LONGEST; i += 3) {
    int group = secret[i] << 16 | secret[i + 1] << 8 | secret[i + 2];
    for (int shift = 18; shift >= 0 && length < LONGEST; shift -= 6) text[length++] = digits[group >> shift & 63];
  }
  add(name, "base64", text, length, 1);
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
    add_pieces(line, secret, (int)count);
    add_hex(line, "0123456789abcdef", secret, (int)count);
    add_hex(line, "0123456789ABCDEF", secret, (int)count);
    for (int before = 0; before < 3; before++) add_base64(line, before, secret, (int)count);
  }
}

static void search(const uint8_t *bytes, size_t count, const char *where) {
  for (size_t i = 0; i + LEAST <= count; i++)
    for (int at = heads[bytes[i] | bytes[i + 1] << 8]; at; at = needles[at - 1].next) {
      struct needle *needle = &needles[at - 1];
      if (needle->found || i + needle->count > count || memcmp(bytes + i, needle->bytes, needle->count) != 0) continue;
      needle->found = 1;
      printf("find %s %s %s\n", needle->name, needle->form, where);
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

static int read_maps(const char *path, const char *wanted) {
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
    if (strncmp(access, wanted, strlen(wanted)) != 0) continue;
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
    if (round % 50 < 2) map_count = read_maps(path, round == 0 ? "r" : "rw");
    for (int i = 0; i < map_count; i++) scan(memory, &maps[i]);
  }
  printf("scanned\n");
  fflush(stdout);
  read_needles();
  for (int i = 0; i < page_count; i++) search(pages + (size_t)i * PAGE, PAGE, "stack");
  printf("rounds %d read %lu refused %lu pages %d\n", rounds, total_read, total_refused, page_count);
}
