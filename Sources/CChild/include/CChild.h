// Runs programs. A separate target, so that kistd contains nothing that starts programs.
// Each returns a result, or -1 with errno.
#pragma once
#include <stddef.h>

// An empty, unnamed file in memory, close-on-exec; memfd_create.
int kist_memory_file(void);
// Copies owner, group and mode from one open file to another.
int kist_copy_owner(int from, int to);
// Runs a program with two open files as its standard input and output, and waits for it. It has an empty environment, its standard error
// is discarded, and it may not write more than `limit` bytes. Returns its exit code, 127 if it cannot be run, 128 if a signal ended it.
int kist_filter(const char *program, const char *options, int input, int output, size_t limit);
// Runs the program whose path is the first of `words`, which end with NULL, and waits for it. It has nothing to read, an environment of PATH alone,
// and both its outputs in one open file. Returns as kist_filter.
int kist_run(char *const words[], int output);
// Has a shell run a command that shows standard output from now on; the program ends after it.
int kist_page(const char *command);
