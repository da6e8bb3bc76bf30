#define _GNU_SOURCE
#include "CChild.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int kist_memory_file(void) { return memfd_create("kist", MFD_CLOEXEC); }

int kist_copy_owner(int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0 || fchown(to, status.st_uid, status.st_gid) != 0) return -1;
  return fchmod(to, status.st_mode & 07777);
}

// As the header says of what a child came to.
static int ended(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int kist_filter(const char *program, const char *options, int input, int output, size_t limit) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    struct rlimit most = {limit, limit};
    char *words[] = {(char *)program, (char *)options, NULL};
    char *environment[] = {NULL};
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(nowhere, 2) == 2 && setrlimit(RLIMIT_FSIZE, &most) == 0)
      execve(program, words, environment);
    _exit(127);
  }
  return ended(child);
}

// Waits at the end, however it comes, so that the shell does not read what is meant for the pager.
static pid_t pager;

static void leave_pager(void) {
  close(1);
  ended(pager);
}

int kist_page(const char *command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pager = fork();
  if (pager == 0) {
    // Who may run this program as somebody else gets no shell by less.
    if (dup2(ends[0], 0) == 0 && setenv("LESS", "FRX", 0) == 0 && setenv("LESSSECURE", "1", 1) == 0 &&
        unsetenv("LESSOPEN") == 0)
      execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  int result = pager < 0 || atexit(leave_pager) != 0 || dup2(ends[1], 1) != 1 ? -1 : 0;
  close(ends[0]);
  close(ends[1]);
  return result;
}

int kist_run(char *const words[], int output) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    char *environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0 && dup2(nowhere, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2) execve(words[0], words, environment);
    _exit(127);
  }
  return ended(child);
}
