#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Buffer space for everything that may be in flight (see client.c), as the kernel counts it. */
static const int send_room = 256 * 1024;

/* Connecting blocks while the listener's queue is full; only for that the socket has a time-out of its own. */
static int connect_until(int descriptor, const struct sockaddr_un *address, deadline until) {
  for (;;) {
    int rest = kist_deadline_rest(until);
    if (rest == 0) {
      errno = ETIMEDOUT;
      return -1;
    }
    struct timeval time = {.tv_sec = rest < 0 ? 0 : rest / 1000, .tv_usec = rest < 0 ? 0 : rest % 1000 * 1000};
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)) != 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)address, sizeof(*address)) == 0) return 0;
    if (errno != EINTR) return -1;
  }
}

int kist_socket_connect(const char *path, deadline until) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, length);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_room, sizeof(send_room));
  if (connect_until(descriptor, &address, until) == 0 && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

bool kist_socket_is_idle(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Waits until the socket is ready. */
static enum kist_result await(int socket, short events, deadline until) {
  struct pollfd waiting = {.fd = socket, .events = events};
  for (;;) {
    int ready = poll(&waiting, 1, kist_deadline_rest(until));
    if (ready > 0) return KIST_OK;
    if (ready == 0) return KIST_E_TIMEOUT;
    if (errno != EINTR) return KIST_E_DISCONNECTED;
  }
}

enum kist_result kist_socket_send(int socket, const uint8_t *data, size_t count, deadline until) {
  while (count > 0) {
    ssize_t sent = send(socket, data, count, MSG_NOSIGNAL);
    if (sent > 0) {
      data += sent;
      count -= (size_t)sent;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return KIST_E_DISCONNECTED;
    enum kist_result result = await(socket, POLLOUT, until);
    if (result != KIST_OK) return result;
  }
  return KIST_OK;
}

enum kist_result kist_socket_receive(int socket, uint8_t *data, size_t count, deadline until) {
  while (count > 0) {
    ssize_t received = recv(socket, data, count, 0);
    if (received > 0) {
      data += received;
      count -= (size_t)received;
      continue;
    }
    if (received == 0) {
      errno = 0;
      return KIST_E_DISCONNECTED;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return KIST_E_DISCONNECTED;
    enum kist_result result = await(socket, POLLIN, until);
    if (result != KIST_OK) return result;
  }
  return KIST_OK;
}
