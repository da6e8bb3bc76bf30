/*
 * Appends to a file and waits until it is on the disk, as an audit log must.
 *
 * usage: disk FILE BYTES BATCH SECONDS WAY
 * A batch of so many records of so many bytes is one write and one fdatasync.  WAY is append, or filled: into a file that
 * was written full of zeros before, so that its size and blocks stay what they are, in whole pages and past the page cache.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

enum { FILLED = 64 << 20, PAGE = 4096 };

static const char *path;
static size_t count;
static bool is_filled;

struct log {
  int file;
  off_t at;
  /* The rest of the page before, if whole pages are written, then the records. */
  uint8_t *pages, *records;
};

static off_t in_page(off_t at) { return is_filled ? at % PAGE : 0; }

static bool fill(int file) {
  static _Alignas(PAGE) uint8_t zeros[1 << 20];
  for (off_t at = 0; at < FILLED; at += (off_t)sizeof(zeros)) {
    if (pwrite(file, zeros, sizeof(zeros), at) != (ssize_t)sizeof(zeros)) return false;
  }
  return fsync(file) == 0;
}

static void *make(unsigned thread) {
  (void)thread;
  struct log *log = calloc(1, sizeof(*log));
  if (!log || !(log->records = malloc(count)) || !(log->pages = aligned_alloc(PAGE, (count / PAGE + 2) * PAGE))) return NULL;
  memset(log->records, 'r', count);
  memset(log->pages, 0, (count / PAGE + 2) * PAGE);
  log->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (is_filled ? O_DIRECT : 0), 0600);
  if (log->file < 0) fail("%s: %s", path, strerror(errno));
  return !is_filled || fill(log->file) ? log : NULL;
}

static enum outcome once(void *of) {
  struct log *log = of;
  if (is_filled && log->at + (off_t)count + PAGE > FILLED) log->at = 0;
  log->records[0] += 1;
  size_t before = (size_t)in_page(log->at), end = before + count, size = is_filled ? (end + PAGE - 1) / PAGE * PAGE : end;
  memcpy(log->pages + before, log->records, count);
  if (pwrite(log->file, log->pages, size, log->at - (off_t)before) != (ssize_t)size || fdatasync(log->file) != 0) return WRONG;
  log->at += (off_t)count;
  memmove(log->pages, log->pages + end - (size_t)in_page(log->at), (size_t)in_page(log->at));
  return DONE;
}

/* The last record is in the file, as another descriptor reads it. */
static bool verify(void *of) {
  struct log *log = of;
  uint8_t *read = malloc(count);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool is_there = read && file >= 0 && pread(file, read, count, log->at - (off_t)count) == (ssize_t)count && memcmp(read, log->records, count) == 0;
  if (file >= 0) close(file);
  free(read);
  return is_there;
}

int main(int argc, char **argv) {
  if (argc != 6) fail("usage: disk FILE BYTES BATCH SECONDS append|filled");
  path = argv[1];
  unsigned batch = (unsigned)number(argv[3]);
  count = (size_t)number(argv[2]) * batch;
  is_filled = strcmp(argv[5], "filled") == 0;
  struct work work = {.name = "disk", .make = make, .once = once, .verify = verify, .batch = batch};
  int code = measure(&work, (struct plan){1, number(argv[4]), 0});
  unlink(path);
  return code;
}
