/* A server of the tests' own on a socket of its own: sound, or whatever a test makes it. */
#ifndef SERVER_H
#define SERVER_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SERVER_ANSWER_MOST = 256 * 1024, SERVER_CONNECTIONS = 16 };

struct server;

struct server_connection {
  struct server *server;
  int socket; /* shut down by its thread, closed when the server stops */
  pthread_t thread;
};

struct server {
  char path[64];
  char endpoint[80];
  int listener;
  pthread_t thread;
  /* What a test sets before the server starts. */
  const uint8_t *answer; /* to the first request, in place of a sound one; then it hangs up */
  size_t answer_count;
  const uint8_t *second; /* to the second request, before it hangs up */
  size_t second_count;
  bool is_silent;    /* never answers */
  unsigned drops;    /* so many requests, the first ones, are taken and hung up on */
  unsigned silences; /* so many are taken and never answered */
  unsigned hang_up_after; /* requests on one connection; 0 for never */
  bool leaves;             /* nobody finds it any more who comes after the first */
  const uint8_t *greeting; /* 24 bytes to whom connects, who is then hung up on without being read */
  /* What it saw. */
  atomic_uint connections;
  atomic_uint requests;
  struct server_connection slots[SERVER_CONNECTIONS]; /* no heap: what a forked child inherits of this is then no leak of its own */
};

static bool server_take(int socket, uint8_t *at, size_t count) { return recv(socket, at, count, MSG_WAITALL) == (ssize_t)count; }

/* A sound reply to what stands behind the length field: `random` gives bytes of A5, everything else nothing. */
static size_t server_reply(const uint8_t *request, size_t count, uint8_t *reply) {
  size_t body = 0;
  if (request[3] == 5 && count > 28) {
    size_t wanted = request[29] & 0x7F;
    if (request[29] & 0x80) wanted |= (size_t)request[30] << 7;
    uint8_t *at = reply + 24;
    *at++ = 0x0A;
    if (wanted > 127) *at++ = (uint8_t)(wanted | 0x80);
    *at++ = (uint8_t)(wanted > 127 ? wanted >> 7 : wanted);
    memset(at, 0xA5, wanted);
    body = (size_t)(at - reply) - 24 + wanted;
  }
  memset(reply, 0xFF, 24);
  size_t length = 20 + body;
  for (int i = 0; i < 4; i++) reply[i] = (uint8_t)(length >> (24 - 8 * i));
  reply[4] = 1;
  reply[5] = 0;
  memcpy(reply + 6, request + 2, 10);
  return 24 + body;
}

static void *server_serve(void *argument) {
  const struct server_connection connection = *(struct server_connection *)argument;
  struct server *server = connection.server;
  uint8_t request[SERVER_ANSWER_MOST], reply[SERVER_ANSWER_MOST], length[4];
  for (unsigned served = 1; server_take(connection.socket, length, 4); served++) {
    size_t count = (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
    if (count > SERVER_ANSWER_MOST || !server_take(connection.socket, request, count)) break;
    unsigned number = atomic_fetch_add(&server->requests, 1);
    if (number < server->drops) break;
    if (server->is_silent || number < server->silences) continue;
    size_t size = server->answer ? server->answer_count : server_reply(request, count, reply);
    if (send(connection.socket, server->answer ? server->answer : reply, size, MSG_NOSIGNAL) < 0) break;
    if (server->second && served == 1) {
      server->answer = server->second;
      server->answer_count = server->second_count;
      continue;
    }
    if (server->answer || served == server->hang_up_after) break;
  }
  shutdown(connection.socket, SHUT_RDWR);
  return NULL;
}

static void *server_accept(void *argument) {
  struct server *server = argument;
  for (;;) {
    int socket = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) return NULL;
    unsigned number = atomic_load(&server->connections);
    if (number == SERVER_CONNECTIONS) abort();
    struct server_connection *connection = &server->slots[number];
    *connection = (struct server_connection){.server = server, .socket = socket};
    if (server->leaves) unlink(server->path);
    if (server->greeting) {
      if (send(socket, server->greeting, 24, MSG_NOSIGNAL) != 24) abort();
      close(socket);
      continue;
    }
    atomic_store(&server->connections, number + 1);
    if (pthread_create(&connection->thread, NULL, server_serve, connection) != 0) abort();
  }
}

static void server_start(struct server *server) {
  static unsigned number;
  snprintf(server->path, sizeof(server->path), "/tmp/libkist-%d-%u.sock", getpid(), number++);
  snprintf(server->endpoint, sizeof(server->endpoint), "unix:%s", server->path);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s", server->path);
  server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(server->listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(server->listener, 16) != 0) abort();
  if (pthread_create(&server->thread, NULL, server_accept, server) != 0) abort();
}

static void server_stop(struct server *server) {
  shutdown(server->listener, SHUT_RDWR);
  pthread_join(server->thread, NULL);
  for (unsigned i = 0; i < atomic_load(&server->connections); i++) {
    shutdown(server->slots[i].socket, SHUT_RDWR);
    pthread_join(server->slots[i].thread, NULL);
    close(server->slots[i].socket);
  }
  close(server->listener);
  unlink(server->path);
}

#endif
