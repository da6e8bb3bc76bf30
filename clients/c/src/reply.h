#ifndef KIST_REPLY_H
#define KIST_REPLY_H

#include "client.h"
#include "deadline.h"

/*
 * Reads the reply to this request from the socket. KIST_E_REPLY and errors of the socket end the connection, and so does
 * a reply about the connection itself: `ends` is then true.
 */
enum kist_result kist_reply_take(int socket, const struct pending *request, void *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome, bool *ends, deadline until);

#endif
