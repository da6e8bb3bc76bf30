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

int kist_peer_credentials(int socket, struct kist_peer *peer);
// Writes the peer's supplementary groups, and how many there are to `count`.
// With ERANGE there are more than `capacity`: `count` says how many, and none was written.
int kist_peer_groups(int socket, gid_t *groups, size_t capacity, size_t *count);
// A pidfd of the peer (Linux 6.5), or -1.
int kist_peer_pidfd(int socket);
// Whether this kernel gives pidfds of peers: 1, or 0.
int kist_has_peer_pidfd(void);
// The process id a pidfd names in our namespace, or -1 when the process is gone.
pid_t kist_pidfd_pid(int pidfd);

// Close-on-exec in both cases.
int kist_unix_socket(void);
int kist_accept(int listener);
// Reads and refuses descriptors: returns the byte count of read(2), or -1 with EPROTO when SCM_RIGHTS came along.
ssize_t kist_receive(int socket, void *buffer, size_t capacity);
int kist_bind_unix(int socket, const char *path);
// Gives away a socket's file that this process has just bound. Links are not followed, and a file that is no socket,
// is somebody else's or has another name besides is refused with EEXIST.
int kist_give_socket(const char *path, uid_t owner, gid_t group, mode_t mode);
int kist_connect_unix(int socket, const char *path);
// A datagram socket connected to one named by path, or by '@name' in the abstract namespace.
int kist_datagram_socket(const char *path);

struct kist_file {
  uint64_t device, inode;
  int64_t size;
};

// The file that is open, or where `path` is not NULL the one that it names, links not followed.
// Its times are not asked for: a kernel that has told them (6.13) writes the inode with the next fdatasync.
int kist_stat(int descriptor, const char *path, struct kist_file *file);

// Fills the whole buffer from the kernel's generator.
int kist_random(void *buffer, size_t count);

int kist_no_new_privileges(void);
// Executes the program anew, once, without the variables by which the loader, libc or OpenSSL take up code that somebody else chose; returns 0 where
// there are none, and -1 where that does not get rid of them.
int kist_leave_environment(char *const *arguments);
int kist_set_dumpable(int on);
int kist_dumpable(void);
int kist_disable_core_dumps(void);
// Whether the hard limit lets a crash leave a core file; 1 where the kernel does not say.
int kist_may_dump_core(void);
// Processors this process may run on, at least 1.
int kist_processors(void);
// How many heaps malloc(3) shares out among the threads, at most.
int kist_limit_heaps(int count);

// clock_gettime in nanoseconds.
int64_t kist_realtime_nanoseconds(void);
int64_t kist_monotonic_nanoseconds(void);

// Where `needle` first stands in `bytes`, or -1; memmem.
ssize_t kist_find(const void *bytes, size_t count, const void *needle, size_t needle_count);

// explicit_bzero.
void kist_wipe(void *start, size_t count);

// Gives up root for this user and group, with no supplementary groups; cannot be undone.
int kist_become(uid_t user, gid_t group);
