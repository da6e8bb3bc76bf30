/* What a handle holds. */
#ifndef KIST_CLIENT_H
#define KIST_CLIENT_H

#include "guard.h"
#include "operation.h"

/* A request whose reply has not been collected. */
struct pending {
  const struct operation *operation;
  uint64_t id;
  int timeout_ms; /* for its reply */
  size_t size;    /* of its frame */
  bool is_first; /* of its connection */
  uint64_t connection;
};

/* `next` is read and written under the guard's lock, and what changes besides by the thread whose turn it is. */
struct kist {
  struct guard *guard;
  char *path;
  int timeout_ms;
  int socket; /* -1 where there is none */
  struct kist_call_options next; /* what kist_next_call said; zeros where it said nothing */
  bool is_broken; /* a request went out in part, or not at all: nothing can be sent behind it */
  /* Counts connections: requests pending on an earlier one are lost. */
  uint64_t connection;
  /* The last connection that the daemon refused as full [WIRE-21]: requests pending on it were not carried out. */
  uint64_t refused_connection;
  bool has_sent; /* on this connection */
  uint64_t last_id;
  struct pending pending[KIST_IN_FLIGHT];
  size_t first;
  size_t count;
};

/* What holds for the next call, which still is the next one then. */
struct kist_call_options kist_options_of_next_call(struct kist *kist);

/* Sends one request and takes its reply. */
enum kist_result kist_call(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request, void *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);

/* The end of a call that lacks something before there is a request to encode: it is the handle's next call all the same. */
enum kist_result kist_refuse_call(struct kist *kist, const char *breach, struct kist_outcome *outcome);

#endif
