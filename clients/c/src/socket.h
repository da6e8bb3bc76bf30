/* One Unix stream socket: whole buffers, within a deadline. */
#ifndef KIST_SOCKET_H
#define KIST_SOCKET_H

#include <stdbool.h>

#include "../kist.h"
#include "deadline.h"

/* A descriptor, or -1 with errno. */
int kist_socket_connect(const char *path, deadline until);
/* Whether the peer is still there and has sent nothing unasked. */
bool kist_socket_is_idle(int socket);
/* KIST_OK, KIST_E_DISCONNECTED with errno, or KIST_E_TIMEOUT. */
enum kist_result kist_socket_send(int socket, const uint8_t *data, size_t count, deadline until);
enum kist_result kist_socket_receive(int socket, uint8_t *data, size_t count, deadline until);

#endif
