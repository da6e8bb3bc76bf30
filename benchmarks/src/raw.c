/*
 * One frame there and one back over a Unix socket, each a length of four bytes and a body: the socket's own cost, or an
 * agent's that speaks so.
 *
 * usage: raw serve SOCKET REPLY                            answers every frame with as many bytes as REPLY
 *        raw ask SOCKET REQUEST CODE SECONDS CLIENTS DEPTH PID
 * REQUEST is a file with the whole frame; the first byte of every reply's body has to be CODE.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "measure.h"

enum { LENGTH = 4, FRAME_MOST = 64 * 1024, DEPTH_MOST = 64 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static uint8_t request[FRAME_MOST];
static size_t request_count;
static unsigned depth, code;

/* One end, with what has been received and not been taken. */
struct end {
  int socket;
  size_t from, to;
  uint8_t bytes[2 * FRAME_MOST];
};

static size_t length(const uint8_t *at) { return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3]; }

static void write_length(uint8_t *at, size_t count) {
  for (int i = 0; i < LENGTH; i++) at[i] = (uint8_t)(count >> (8 * (3 - i)));
}

/* The next whole frame's body; NULL once the other side has ended. */
static const uint8_t *take(struct end *end) {
  for (;;) {
    size_t held = end->to - end->from;
    if (held >= LENGTH && held >= LENGTH + length(end->bytes + end->from)) {
      const uint8_t *body = end->bytes + end->from + LENGTH;
      end->from += LENGTH + length(end->bytes + end->from);
      return body;
    }
    memmove(end->bytes, end->bytes + end->from, held);
    end->from = 0;
    end->to = held;
    ssize_t count = recv(end->socket, end->bytes + held, sizeof(end->bytes) - held, 0);
    if (count <= 0) return NULL;
    end->to += (size_t)count;
  }
}

static bool has_frame(const struct end *end) {
  size_t held = end->to - end->from;
  return held >= LENGTH && held >= LENGTH + length(end->bytes + end->from);
}

static bool put(int socket, const uint8_t *data, size_t count) {
  while (count > 0) {
    ssize_t sent = send(socket, data, count, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    count -= (size_t)sent;
  }
  return true;
}

/* Serving: all frames that have arrived are answered in one write, as the daemon does. */

static uint8_t reply[DEPTH_MOST * FRAME_MOST];
static size_t reply_count;

static void *serve(void *argument) {
  struct end *end = argument;
  while (take(end)) {
    size_t frames = 1;
    while (frames < DEPTH_MOST && has_frame(end) && take(end)) frames++;
    if (!put(end->socket, reply, frames * reply_count)) break;
  }
  close(end->socket);
  free(end);
  return NULL;
}

static int serve_all(size_t count) {
  reply_count = LENGTH + count;
  for (int i = 0; i < DEPTH_MOST; i++) write_length(reply + (size_t)i * reply_count, count);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(address.sun_path);
  if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, 128) != 0) fail("%s: %s", address.sun_path, strerror(errno));
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct end *end = calloc(1, sizeof(*end));
    pthread_t thread;
    if (!end || (end->socket = accept(listener, NULL, NULL)) < 0 || pthread_create(&thread, NULL, serve, end) != 0) fail("cannot serve");
    pthread_detach(thread);
  }
}

/* Asking */

static void *make(unsigned thread) {
  (void)thread;
  struct end *end = calloc(1, sizeof(*end));
  if (!end) return NULL;
  end->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return connect(end->socket, (struct sockaddr *)&address, sizeof(address)) == 0 ? end : NULL;
}

static enum outcome once(void *of) {
  struct end *end = of;
  for (unsigned i = 0; i < depth; i++) {
    if (!put(end->socket, request, request_count)) return WRONG;
  }
  for (unsigned i = 0; i < depth; i++) {
    const uint8_t *body = take(end);
    if (!body || body[0] != code) return WRONG;
  }
  return DONE;
}

int main(int argc, char **argv) {
  bool serves = argc == 4 && strcmp(argv[1], "serve") == 0, asks = argc == 9 && strcmp(argv[1], "ask") == 0;
  if (!serves && !asks) fail("usage: raw serve SOCKET REPLY | raw ask SOCKET REQUEST CODE SECONDS CLIENTS DEPTH PID");
  if (strlen(argv[2]) >= sizeof(address.sun_path)) fail("%s is too long for a socket", argv[2]);
  strcpy(address.sun_path, argv[2]);
  if (serves) return serve_all((size_t)number(argv[3]));
  int file = open(argv[3], O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, request, sizeof(request));
  if (count <= LENGTH || (size_t)count != LENGTH + length(request)) fail("%s is no frame", argv[3]);
  request_count = (size_t)count;
  code = (unsigned)strtoul(argv[4], NULL, 10);
  depth = (unsigned)number(argv[7]);
  if (depth > DEPTH_MOST) fail("at most %d at a time", DEPTH_MOST);
  struct work work = {.name = "raw", .make = make, .once = once, .batch = depth};
  return measure(&work, (struct plan){(unsigned)number(argv[6]), number(argv[5]), (pid_t)number(argv[8])});
}
