// System calls that need _GNU_SOURCE, ancillary data or macros. Each returns 0 or a result, or -1 with errno.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kist_peer {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

// Opens /dev/null in place of standard input, output and error where they are closed, so that nothing else gets their numbers and what is
// meant for people. Reading from it and writing to it fail as before.
int kist_hold_standard_descriptors(void);
// As write(2), but all of it.
int kist_write_all(int descriptor, const void *bytes, size_t count);

// Memory without a name that nobody can change any more, not close-on-exec; -1 and errno.
int kist_sealed_memory(const void *bytes, size_t count);
int kist_is_sealed(int memory);

int kist_peer_credentials(int socket, struct kist_peer *peer);
// Writes the peer's supplementary groups, and their number to `count`.
// With ERANGE there are more than `capacity`: `count` tells how many, and none was written.
int kist_peer_groups(int socket, gid_t *groups, size_t capacity, size_t *count);
// A pidfd of the peer (Linux 6.5), or -1.
int kist_peer_pidfd(int socket);
// Whether this kernel provides pidfds of peers: 1 or 0.
int kist_has_peer_pidfd(void);
// The process id of a pidfd in our namespace, or -1 if the process is gone.
pid_t kist_pidfd_pid(int pidfd);

// Both close-on-exec.
int kist_unix_socket(void);
int kist_accept(int listener);
// Has the kernel refuse whoever sends descriptors over this socket (SO_PASSRIGHTS, Linux 6.16), or
// over a connection to it from now on. Returns 1 if descriptors may wait in it nevertheless: from
// before, or with an older kernel.
int kist_refuse_descriptors(int socket);
// As read(2), but if descriptors may wait in it: returns -1 with EPROTO before the first that came
// along, and leaves it where it is. The last close(2) of somebody else's file can take as long as
// he likes, and reading over a descriptor would be one.
ssize_t kist_receive(int socket, void *buffer, size_t capacity, int may_carry);
int kist_bind_unix(int socket, const char *path);
// Changes owner and mode of a socket file that this process has just bound. Does not follow links, and fails with EEXIST for
// a file that is not a socket, belongs to somebody else or has a second name.
int kist_give_socket(const char *path, uid_t owner, gid_t group, mode_t mode);
int kist_connect_unix(int socket, const char *path);
// A datagram socket connected to a path, or for '@name' to a name in the abstract namespace.
int kist_datagram_socket(const char *path);

struct kist_file {
  uint64_t device, inode;
  int64_t size;
};

// Stats an open file, or if `path` is not NULL the file with that name, without following links.
// Does not ask for times: a kernel that has reported them (6.13) writes the inode at the next fdatasync.
int kist_stat(int descriptor, const char *path, struct kist_file *file);

// O_DIRECT of open(2), which differs between architectures and needs _GNU_SOURCE.
extern const int kist_open_direct;

// Fills the whole buffer from the kernel's random generator.
int kist_random(void *buffer, size_t count);

int kist_no_new_privileges(void);
// Re-executes the program, once, without the environment variables through which the loader, libc or OpenSSL could load somebody else's code.
// Returns 0 if there are none, -1 if they cannot be removed.
int kist_leave_environment(char *const *arguments);
int kist_set_dumpable(int on);
int kist_dumpable(void);
int kist_disable_core_dumps(void);
// Whether the hard limit allows a core file after a crash; 1 if the kernel does not tell.
int kist_may_dump_core(void);
// The number of processors that this process may run on, at least 1.
int kist_processors(void);
// Sets the most heaps that malloc(3) distributes among the threads.
int kist_limit_heaps(int count);

// clock_gettime in nanoseconds.
int64_t kist_realtime_nanoseconds(void);
int64_t kist_monotonic_nanoseconds(void);

// The offset of the first `needle` in `bytes`, or -1; memmem.
ssize_t kist_find(const void *bytes, size_t count, const void *needle, size_t needle_count);

// gnu_get_libc_version, and the compiler's own name and version.
const char *kist_libc_version(void);
const char *kist_compiler_version(void);

// explicit_bzero.
void kist_wipe(void *start, size_t count);

// Drops root for this user and group, without supplementary groups; cannot be undone.
int kist_become(uid_t user, gid_t group);
