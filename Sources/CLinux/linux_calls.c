#define _GNU_SOURCE
#include "linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <grp.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

int kist_hold_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return -1;
  }
  return 0;
}

int kist_write_all(int descriptor, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t written = write(descriptor, rest, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    rest += written;
    count -= (size_t)written;
  }
  return 0;
}

enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int kist_sealed_memory(const void *bytes, size_t count) {
  const int memory = memfd_create("settings", MFD_ALLOW_SEALING);
  return memory >= 0 && kist_write_all(memory, bytes, count) == 0 && fcntl(memory, F_ADD_SEALS, SEALS) == 0 ? memory : -1;
}

int kist_is_sealed(int memory) { return fcntl(memory, F_GET_SEALS) == SEALS; }

int kist_peer_credentials(int socket, struct kist_peer *peer) {
  struct ucred credentials = {0};
  socklen_t length = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  if (length != sizeof credentials) {
    errno = EPROTO;
    return -1;
  }
  *peer = (struct kist_peer){credentials.pid, credentials.uid, credentials.gid};
  return 0;
}

int kist_peer_groups(int socket, gid_t *groups, size_t capacity, size_t *count) {
  socklen_t length = (socklen_t)(capacity * sizeof(gid_t));
  int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
  *count = result == 0 || errno == ERANGE ? length / sizeof(gid_t) : 0;
  return result;
}

int kist_peer_pidfd(int socket) {
  int pidfd = -1;
  socklen_t length = sizeof pidfd;
  return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0 ? pidfd : -1;
}

int kist_has_peer_pidfd(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return 0;
  int pidfd = kist_peer_pidfd(pair[0]);
  if (pidfd >= 0) close(pidfd);
  close(pair[0]);
  close(pair[1]);
  return pidfd >= 0;
}

pid_t kist_pidfd_pid(int pidfd) {
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  pid_t pid = -1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, "Pid:", 4) == 0) pid = (pid_t)atoi(line + 4);
  fclose(file);
  return pid > 0 ? pid : -1;
}

int kist_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int kist_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int kist_refuse_descriptors(int socket) {
  int passes = 1, off = 0;
  socklen_t length = sizeof passes;
  // A connection has its listener's setting from its first moment.
  if (getsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &passes, &length) == 0 && passes == 0) return 0;
  setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
  return 1;
}

ssize_t kist_receive(int socket, void *buffer, size_t capacity, int may_carry) {
  if (may_carry) {
    struct iovec part = {buffer, capacity};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t count = recvmsg(socket, &message, MSG_PEEK);
    if (count <= 0) return count;
    if (message.msg_flags & MSG_CTRUNC) {
      errno = EPROTO;
      return -1;
    }
    capacity = (size_t)count;
  }
  return read(socket, buffer, capacity);
}

static int unix_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
  size_t count = strlen(path);
  if (count == 0 || count >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, count);
  if (path[0] == '@') address->sun_path[0] = '\0';
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (path[0] == '@' ? 0 : 1));
  return 0;
}

int kist_bind_unix(int socket, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (unix_address(path, &address, &length) != 0) return -1;
  return bind(socket, (struct sockaddr *)&address, length);
}

int kist_give_socket(const char *path, uid_t owner, gid_t group, mode_t mode) {
  int place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", place);
  struct stat file;
  int result = fstat(place, &file);
  if (result == 0 && !(S_ISSOCK(file.st_mode) && file.st_uid == geteuid() && file.st_nlink == 1)) {
    errno = EEXIST;
    result = -1;
  }
  if (result == 0) result = fchownat(place, "", owner, group, AT_EMPTY_PATH);
  // fchmod does not accept an O_PATH descriptor, but the descriptor's name in /proc leads to exactly this file.
  if (result == 0) result = chmod(self, mode);
  int error = errno;
  close(place);
  errno = error;
  return result;
}

int kist_connect_unix(int socket, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (unix_address(path, &address, &length) != 0) return -1;
  return connect(socket, (struct sockaddr *)&address, length);
}

int kist_datagram_socket(const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (unix_address(path, &address, &length) != 0) return -1;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int kist_random(void *buffer, size_t count) {
  uint8_t *out = buffer;
  while (count > 0) {
    ssize_t got = getrandom(out, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    out += got;
    count -= (size_t)got;
  }
  return 0;
}

// ld.so(8), mallopt(3), iconv_open(3), setlocale(3), openssl-env(7).
static int takes_up_code(const char *variable) {
  static const char *const names[] = {"LD_", "GCONV_PATH=", "GETCONF_DIR=", "GLIBC_TUNABLES=", "LOCPATH=", "MALLOC_", "OPENSSL_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return 1;
  }
  return 0;
}

int kist_leave_environment(char *const *arguments) {
  static char mark[] = "KIST_ENVIRONMENT=left";
  size_t count = 0, kept = 0;
  int was_left = 0;
  for (; environ[count]; count++) was_left |= strcmp(environ[count], mark) == 0;
  char **clean = calloc(count + 2, sizeof *clean);
  if (!clean) return -1;
  for (size_t i = 0; i < count; i++) {
    if (!takes_up_code(environ[i])) clean[kept++] = environ[i];
  }
  const int is_clean = kept == count;
  if (!is_clean && !was_left) {
    clean[kept] = mark;
    execve("/proc/self/exe", arguments, clean);
  }
  free(clean);
  return is_clean ? 0 : -1;
}

int kist_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
int kist_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, on, 0, 0, 0); }
int kist_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int kist_disable_core_dumps(void) {
  struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none);
}

int kist_may_dump_core(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max != 0;
}

int kist_processors(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? count : 1;
}

int kist_limit_heaps(int count) { return mallopt(M_ARENA_MAX, count) == 1 ? 0 : -1; }

const int kist_open_direct = O_DIRECT;

int kist_stat(int descriptor, const char *path, struct kist_file *file) {
  struct statx found = {0};
  int flags = path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;
  if (statx(path ? AT_FDCWD : descriptor, path ? path : "", flags, STATX_INO | STATX_SIZE, &found) != 0) return -1;
  *file = (struct kist_file){(uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor, found.stx_ino, (int64_t)found.stx_size};
  return 0;
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now = {0};
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t kist_realtime_nanoseconds(void) { return nanoseconds(CLOCK_REALTIME); }
int64_t kist_monotonic_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

ssize_t kist_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  const void *found = memmem(bytes, count, needle, needle_count);
  return found == NULL ? -1 : (const char *)found - (const char *)bytes;
}

const char *kist_libc_version(void) { return gnu_get_libc_version(); }

const char *kist_compiler_version(void) { return __VERSION__; }

void kist_wipe(void *start, size_t count) { explicit_bzero(start, count); }

int kist_become(uid_t user, gid_t group) {
  if (setgroups(0, NULL) != 0) return -1;
  if (setresgid(group, group, group) != 0) return -1;
  return setresuid(user, user, user);
}
