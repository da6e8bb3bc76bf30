#define _GNU_SOURCE
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME "kist-tests-"
#define MADE "SCRATCH_DIRECTORY"

static char place[PATH_MAX];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  remove(path);
  return 0;
}

static void remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

static void end(void) {
  // Not in the children that tests fork.
  if (getpid() == owner) remove_tree(place);
}

// A descriptor that holds the directory's lock, or -1 if it is another process's. A lock ends with its process, even one that was killed.
static int lock(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (directory < 0) return -1;
  if (fstat(directory, &status) == 0 && status.st_uid == geteuid() && flock(directory, LOCK_EX | LOCK_NB) == 0) return directory;
  close(directory);
  return -1;
}

static void remove_abandoned(const char *base) {
  DIR *entries = opendir(base);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries));) {
    char path[PATH_MAX];
    if (strncmp(entry->d_name, NAME, strlen(NAME)) != 0) continue;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", base, entry->d_name) >= sizeof path) continue;
    // One that was just made may not be locked yet.
    struct stat status;
    if (lstat(path, &status) != 0 || time(NULL) - status.st_mtime < 60) continue;
    int directory = lock(path);
    if (directory < 0) continue;
    remove_tree(path);
    close(directory);
  }
  closedir(entries);
}

__attribute__((constructor)) static void begin(void) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = "/tmp";
  // scripts/test.sh has made one, or it is the parent's: exit tests are programs of their own.
  if (getenv(MADE)) return;
  remove_abandoned(base);
  if ((size_t)snprintf(place, sizeof place, "%s/" NAME "XXXXXX", base) >= sizeof place || !mkdtemp(place)) return;
  // Its lock is kept until this process ends.
  lock(place);
  // Some tests let another user in, to a file whose name it knows.
  chmod(place, 0711);
  setenv("TMPDIR", place, 1);
  setenv(MADE, place, 1);
  owner = getpid();
  atexit(end);
}
