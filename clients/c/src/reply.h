#ifndef KIST_REPLY_H
#define KIST_REPLY_H

#include "client.h"
#include "deadline.h"

/* Takes the reply to this request off the socket. KIST_E_REPLY, and what the socket gives, end the connection. */
enum kist_result kist_reply_take(int socket, const struct pending *request, void *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome, deadline until);

#endif
