// Landlock: restricts a process to a set of paths. Each function returns a result, or -1 with errno.
#pragma once

// What is allowed below a path.
enum kist_landlock_access {
  KIST_LANDLOCK_READ = 1,         // open files for reading
  KIST_LANDLOCK_LIST = 2,         // open directories
  KIST_LANDLOCK_KEEP = 4,         // make, write, truncate and remove files, and make directories
  KIST_LANDLOCK_REMOVE_FILE = 8,  // remove files, and nothing else
};

// The version of the kernel's Landlock, at least 1.
int kist_landlock_version(void);
// A rule set that denies all access to files, to TCP and, if the kernel supports it, to others' abstract sockets and signals.
int kist_landlock_create(int version);
int kist_landlock_allow(int ruleset, int version, const char *path, int access);
// Puts the rules in force for this thread and those it will start; cannot be undone.
int kist_landlock_restrict(int ruleset);
