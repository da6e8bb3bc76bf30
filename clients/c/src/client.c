/* A handle: opening, whose turn it is, requests in flight, and the end of connections. */
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint.h"
#include "reply.h"
#include "socket.h"

enum { USUAL_TIMEOUT_MS = 10 * 1000 };

static const struct kist_outcome nothing = {.audit_sequence = KIST_UNAUDITED};

static void disconnect(struct kist *kist) {
  if (kist->socket >= 0) close(kist->socket);
  kist->socket = -1;
  kist_guard_wipe(kist->guard);
  kist->is_broken = kist->has_sent = false;
  kist->connection += 1;
}

/* Takes the turn; false if other threads have it until then. In a child process the connection and the requests in flight are the parent's, so
   it drops both. */
static bool enter(struct kist *kist, deadline until) {
  if (!kist_guard_take(kist->guard, until)) return false;
  if (kist->guard->owned) return true;
  disconnect(kist);
  kist->count = 0;
  kist->guard->owned = true;
  return true;
}

static struct kist_call_options exchange_options(struct kist *kist, struct kist_call_options next) {
  pthread_mutex_lock(&kist->guard->lock);
  struct kist_call_options options = kist->next;
  kist->next = next;
  pthread_mutex_unlock(&kist->guard->lock);
  return options;
}

/* What holds for the call that begins: what was said of the next one, and the handle's own where nothing was. */
static struct kist_call_options take_options(struct kist *kist) {
  struct kist_call_options options = exchange_options(kist, (struct kist_call_options){0});
  if (!options.timeout_ms) options.timeout_ms = kist->timeout_ms;
  return options;
}

static enum kist_result leave(struct kist *kist, enum kist_result result) {
  kist_guard_give(kist->guard);
  return result;
}

/* A connection to send on: this one, or a new one if it has ended while nothing was in flight. */
static enum kist_result connect_if_needed(struct kist *kist, struct kist_outcome *outcome, deadline until) {
  bool is_waiting = kist->count > 0 && kist->pending[(kist->first + kist->count - 1) % KIST_IN_FLIGHT].connection == kist->connection;
  if (is_waiting) return kist->is_broken ? KIST_E_DISCONNECTED : KIST_OK;
  if (kist->socket >= 0 && !kist->is_broken && kist_socket_is_idle(kist->socket)) return KIST_OK;
  disconnect(kist);
  kist->socket = kist_socket_connect(kist->path, until);
  if (kist->socket >= 0) return KIST_OK;
  outcome->system_error = errno;
  return KIST_E_UNREACHABLE;
}

static bool has_room_in_flight(const struct kist *kist, size_t size) {
  if (kist->count == KIST_IN_FLIGHT) return false;
  size_t bytes = 0;
  for (size_t i = 0; i < kist->count; i++) bytes += kist->pending[(kist->first + i) % KIST_IN_FLIGHT].size;
  return bytes == 0 || bytes + size <= IN_FLIGHT_BYTES;
}

/* The key that the header names; false if one is needed and there is none. */
static bool choose_key(const struct operation *operation, const uint8_t *key, const void *request, uint8_t *chosen) {
  memset(chosen, 0, KIST_KEY_ID_SIZE);
  if (!key && operation->opcode == KIST_OP_OPEN_PAYMENT_TOKEN) {
    /* Its size was checked with the others. */
    key = ((const struct kist_open_payment_token_request *)request)->token.public_key_hash.data;
  }
  if (key && operation->key != KEY_NONE) memcpy(chosen, key, KIST_KEY_ID_SIZE);
  return key || operation->key != KEY_REQUIRED;
}

/* Writes the whole frame behind those that wait in the guard; nothing else holds the request's secrets. */
static enum kist_result encode(struct kist *kist, const struct operation *operation, const uint8_t *key, const void *request,
                               uint64_t id, size_t *size, struct kist_outcome *outcome) {
  const size_t fixed = FRAME_LENGTH_SIZE + REQUEST_HEADER_SIZE;
  uint8_t *frame = kist->guard->frames + kist->guard->waiting;
  size_t body_count = 0;
  if (operation->request) {
    if (!request) return KIST_E_REQUEST;
    struct breach breach;
    struct flaw flaw = kist_encode(operation->request, request, frame + fixed, REQUEST_MOST + FRAME_LENGTH_SIZE - fixed, &body_count, &breach);
    if (flaw.fault != FAULT_NONE) {
      kist_breach_write(flaw.fault, &breach, outcome->breach, sizeof(outcome->breach));
      return KIST_E_REQUEST;
    }
  }
  struct request_header header = {.flags = FLAG_WAIT, .opcode = operation->opcode, .id = id};
  if (!choose_key(operation, key, request, header.key)) return KIST_E_REQUEST;
  kist_request_header_write(frame, &header, body_count);
  *size = fixed + body_count;
  return KIST_OK;
}

/* Has the request wait behind the others for the next that is sent. */
static enum kist_result put_in_line(struct kist *kist, struct pending request, struct kist_outcome *outcome, deadline until) {
  enum kist_result result = connect_if_needed(kist, outcome, until);
  if (result != KIST_OK) return result;
  outcome->request_id = request.id;
  request.is_first = !kist->has_sent;
  request.connection = kist->connection;
  kist->pending[(kist->first + kist->count) % KIST_IN_FLIGHT] = request;
  kist->has_sent = true;
  kist->count += 1;
  kist->guard->waiting += request.size;
  return KIST_OK;
}

static enum kist_result submit(struct kist *kist, enum kist_operation opcode, const uint8_t *key, const void *request,
                               const struct kist_call_options *options, struct kist_outcome *outcome, deadline until) {
  struct pending pending = {.operation = kist_operation(opcode), .timeout_ms = options->timeout_ms};
  if (!pending.operation) return KIST_E_REQUEST;
  pending.id = options->request_id ? options->request_id : kist->last_id + 1;
  enum kist_result result = encode(kist, pending.operation, key, request, pending.id, &pending.size, outcome);
  if (result == KIST_OK) result = has_room_in_flight(kist, pending.size) ? put_in_line(kist, pending, outcome, until) : KIST_E_FULL;
  if (result == KIST_OK && !options->request_id) kist->last_id = pending.id;
  /* It is not known how many bytes a flawed request left there. */
  size_t left = result == KIST_OK ? 0 : result == KIST_E_REQUEST ? FRAME_LENGTH_SIZE + REQUEST_MOST : pending.size;
  explicit_bzero(kist->guard->frames + kist->guard->waiting, left);
  return result;
}

/* Sends what waits. A connection that has ended may still hold a reply, which is then collected [WIRE-19]. */
static enum kist_result send_waiting(struct kist *kist, deadline until) {
  if (kist->guard->waiting == 0) return KIST_OK;
  enum kist_result result = kist_socket_send(kist->socket, kist->guard->frames, kist->guard->waiting, until);
  /* Nothing can be sent after it, but replies to earlier requests may have come, and can be collected. */
  if (result != KIST_OK) kist->is_broken = true;
  kist_guard_wipe(kist->guard);
  return result;
}

static bool ends_connection(enum kist_result result) {
  return result == KIST_MALFORMED || result == KIST_E_REPLY || result == KIST_E_DISCONNECTED || result == KIST_E_TIMEOUT;
}

static enum kist_result collect(struct kist *kist, void *reply, struct kist_buffer room, struct kist_outcome *outcome, deadline until) {
  struct pending request = kist->pending[kist->first];
  if (request.operation->reply && !reply) return KIST_E_REQUEST;
  outcome->request_id = request.id;
  kist->first = (kist->first + 1) % KIST_IN_FLIGHT;
  kist->count -= 1;
  if (request.connection != kist->connection) return request.connection == kist->refused_connection ? KIST_BUSY : KIST_E_DISCONNECTED;
  bool ends = false;
  enum kist_result result = send_waiting(kist, until);
  errno = 0;
  if (result != KIST_E_TIMEOUT) result = kist_reply_take(kist->socket, &request, reply, room, outcome, &ends, until);
  if (result == KIST_E_DISCONNECTED) outcome->system_error = errno;
  if (result == KIST_BUSY && ends) kist->refused_connection = kist->connection;
  if (ends || ends_connection(result)) disconnect(kist);
  return result;
}

enum kist_result kist_open(struct kist **opened, const char *endpoint, const struct kist_options *options) {
  *opened = NULL;
  const char *path = endpoint ? kist_endpoint_path(endpoint) : kist_endpoint_from_environment();
  if (!path) return KIST_E_ENDPOINT;
  struct kist *kist = calloc(1, sizeof(*kist));
  if (!kist) return KIST_E_MEMORY;
  kist->socket = -1;
  kist->path = strdup(path);
  kist->guard = kist->path ? kist_guard_make() : NULL;
  kist->timeout_ms = options && options->timeout_ms ? options->timeout_ms : USUAL_TIMEOUT_MS;
  struct kist_outcome outcome = nothing;
  enum kist_result result = kist->guard ? connect_if_needed(kist, &outcome, kist_deadline(kist->timeout_ms)) : KIST_E_MEMORY;
  if (result != KIST_OK) {
    kist_close(kist);
    errno = outcome.system_error;
    return result;
  }
  *opened = kist;
  return KIST_OK;
}

void kist_close(struct kist *kist) {
  if (!kist) return;
  if (kist->socket >= 0) close(kist->socket);
  if (kist->guard) kist_guard_free(kist->guard);
  free(kist->path);
  explicit_bzero(kist, sizeof(*kist));
  free(kist);
}

enum kist_result kist_call(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request, void *reply,
                           struct kist_buffer room, struct kist_outcome *outcome) {
  struct kist_outcome ignored;
  if (!outcome) outcome = &ignored;
  *outcome = nothing;
  struct kist_call_options options = take_options(kist);
  deadline until = kist_deadline(options.timeout_ms);
  if (!enter(kist, until)) return KIST_E_TIMEOUT;
  if (kist->count > 0) return leave(kist, KIST_E_ORDER);
  /* Checked before anything is sent, since its reply could then not be collected. */
  const struct operation *known = kist_operation(operation);
  if (known && known->reply && !reply) return leave(kist, KIST_E_REQUEST);
  enum kist_result result = submit(kist, operation, key, request, &options, outcome, until);
  if (result == KIST_OK) result = collect(kist, reply, room, outcome, until);
  return leave(kist, result);
}

enum kist_result kist_refuse_call(struct kist *kist, const char *breach, struct kist_outcome *outcome) {
  (void)take_options(kist);
  if (outcome) {
    *outcome = nothing;
    snprintf(outcome->breach, sizeof(outcome->breach), "%s", breach);
  }
  return KIST_E_REQUEST;
}

enum kist_result kist_submit(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request) {
  struct kist_outcome ignored = nothing;
  struct kist_call_options options = take_options(kist);
  deadline until = kist_deadline(options.timeout_ms);
  if (!enter(kist, until)) return KIST_E_TIMEOUT;
  return leave(kist, submit(kist, operation, key, request, &options, &ignored, until));
}

enum kist_result kist_flush(struct kist *kist) {
  deadline until = kist_deadline(kist->timeout_ms);
  return enter(kist, until) ? leave(kist, send_waiting(kist, until)) : KIST_E_TIMEOUT;
}

enum kist_result kist_collect(struct kist *kist, void *reply, struct kist_buffer room, struct kist_outcome *outcome) {
  struct kist_outcome ignored;
  if (!outcome) outcome = &ignored;
  *outcome = nothing;
  if (!enter(kist, kist_deadline(kist->timeout_ms))) return KIST_E_TIMEOUT;
  if (kist->count == 0) return leave(kist, KIST_E_ORDER);
  return leave(kist, collect(kist, reply, room, outcome, kist_deadline(kist->pending[kist->first].timeout_ms)));
}

void kist_next_call(struct kist *kist, const struct kist_call_options *options) {
  (void)exchange_options(kist, options ? *options : (struct kist_call_options){0});
}

struct kist_call_options kist_options_of_next_call(struct kist *kist) {
  pthread_mutex_lock(&kist->guard->lock);
  struct kist_call_options options = kist->next;
  pthread_mutex_unlock(&kist->guard->lock);
  return options;
}
