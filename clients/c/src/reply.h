#ifndef KIST_REPLY_H
#define KIST_REPLY_H

#include "client.h"
#include "deadline.h"

/*
 * Takes the reply to this request off the socket. KIST_E_REPLY, and what the socket gives, end the connection, and so does
 * a reply that is about the connection: `ends` is then true.
 */
enum kist_result kist_reply_take(int socket, const struct pending *request, void *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome, bool *ends, deadline until);

#endif
