// A program run as a filter between two open files. A target of its own, so that kistd has nothing that starts programs.
// Each returns a result, or -1 with errno.
#pragma once
#include <stddef.h>

// An empty file in memory that has no name, close-on-exec; memfd_create.
int kist_memory_file(void);
// Gives one open file the owner, group and mode of another.
int kist_copy_owner(int from, int to);
// Runs a program on two open files, as its standard input and output, and waits for it. It has no environment, complains to
// nobody, and may not write more than `limit` bytes. Returns its exit code, 127 where there is no such program, 128 where a signal ended it.
int kist_filter(const char *program, const char *options, int input, int output, size_t limit);
