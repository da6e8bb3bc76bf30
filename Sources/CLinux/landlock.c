#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Debian 12's headers describe version 2; the kernel may have a later one.
#define TRUNCATE (1ULL << 14)   // version 3
#define IOCTL_DEV (1ULL << 15)  // version 5
#define TCP_BIND_CONNECT 3ULL   // version 4
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS 3ULL  // version 6

struct attributes {
  uint64_t files, network, scopes;
};

static uint64_t every_access(int version) {
  uint64_t access = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (version >= 2) access |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) access |= TRUNCATE;
  if (version >= 5) access |= IOCTL_DEV;
  return access;
}

static uint64_t rights(int access) {
  uint64_t rights = 0;
  if (access & KIST_LANDLOCK_READ) rights |= LANDLOCK_ACCESS_FS_READ_FILE;
  if (access & KIST_LANDLOCK_LIST) rights |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (access & KIST_LANDLOCK_REMOVE_FILE) rights |= LANDLOCK_ACCESS_FS_REMOVE_FILE;
  if (access & KIST_LANDLOCK_KEEP)
    rights |= LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR;
  return rights;
}

int kist_landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int kist_landlock_create(int version) {
  struct attributes handled = {
    every_access(version), version >= 4 ? TCP_BIND_CONNECT : 0, version >= 6 ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0};
  // A kernel that knows fewer fields accepts the others as long as they are zero.
  return (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
}

int kist_landlock_allow(int ruleset, int version, const char *path, int access) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return -1;
  struct landlock_path_beneath_attr rule = {.allowed_access = rights(access) & every_access(version), .parent_fd = place};
  long result = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  int error = errno;
  close(place);
  errno = error;
  return (int)result;
}

int kist_landlock_restrict(int ruleset) { return (int)syscall(SYS_landlock_restrict_self, ruleset, 0); }
