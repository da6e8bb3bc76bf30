/* Reads one reply from the socket into the caller's buffer; its values are never copied elsewhere. */
#include "reply.h"

#include <string.h>

#include "names.h"
#include "socket.h"

/* The body of a refusal is shorter; a Malformation is the longest. */
enum { REFUSAL_MOST = 192 };

static enum kist_result take_header(int socket, struct reply_header *header, size_t *body_count, deadline until) {
  uint8_t bytes[FRAME_LENGTH_SIZE + REPLY_HEADER_SIZE];
  enum kist_result result = kist_socket_receive(socket, bytes, sizeof(bytes), until);
  if (result != KIST_OK) return result;
  size_t length;
  if (kist_reply_length(bytes, &length).fault != FAULT_NONE) return KIST_E_REPLY;
  if (kist_reply_header_read(bytes + FRAME_LENGTH_SIZE, header).fault != FAULT_NONE) return KIST_E_REPLY;
  *body_count = length - REPLY_HEADER_SIZE;
  return KIST_OK;
}

/* [WIRE-19] [WIRE-8] [WIRE-21] Only `malformed` and, as a connection's first reply, `busy` may answer no request in particular. */
static bool is_about_connection(const struct reply_header *header, size_t body_count, const struct pending *request) {
  if (header->opcode != 0 || header->id != 0 || body_count > 0) return false;
  return header->status == KIST_MALFORMED || (header->status == KIST_BUSY && request->is_first);
}

/* [WIRE-20] */
static enum kist_result take_approval(const uint8_t *body, size_t count, struct kist_outcome *outcome) {
  struct kist_approval_needed needed;
  if (kist_decode(&kist_message_approval_needed, body, count, &needed).fault != FAULT_NONE) return KIST_E_REPLY;
  if (needed.request.count > 0) memcpy(outcome->request, needed.request.data, needed.request.count);
  outcome->until = needed.until;
  return KIST_APPROVAL_NEEDED;
}

/* [WIRE-22] */
static enum kist_result take_malformation(const uint8_t *body, size_t count, struct kist_outcome *outcome) {
  struct kist_malformation malformation;
  if (kist_decode(&kist_message_malformation, body, count, &malformation).fault != FAULT_NONE) return KIST_E_REPLY;
  memcpy(outcome->breach, malformation.why.data, malformation.why.count);
  return KIST_MALFORMED;
}

/* [WIRE-24] */
static enum kist_result take_wait(const uint8_t *body, size_t count, struct kist_outcome *outcome) {
  struct kist_busy busy;
  if (kist_decode(&kist_message_busy, body, count, &busy).fault != FAULT_NONE) return KIST_E_REPLY;
  outcome->retry_after_ms = busy.retry_after;
  return KIST_BUSY;
}

/* A stage of a later daemon, unknown here, is a rejection like any other (section 8); an unknown field takes nothing from its stage. */
static enum kist_result take_rejection(const uint8_t *body, size_t count, struct kist_outcome *outcome) {
  struct kist_rejection rejection;
  enum fault fault = kist_decode(&kist_message_rejection, body, count, &rejection).fault;
  if (fault != FAULT_NONE && fault != FAULT_BAD_VALUE) return KIST_E_REPLY;
  if (kist_stage_is_known(rejection.stage)) outcome->stage = rejection.stage;
  if (fault == FAULT_NONE) {
    outcome->field = rejection.field;
    outcome->released_field = rejection.released_field;
  }
  return KIST_REJECTED;
}

/* [WIRE-14] [WIRE-18] Only these have a body: `approval-needed` always, `rejected`, `malformed` and `busy` sometimes. */
static enum kist_result take_refusal(int socket, uint8_t status, size_t count, struct kist_outcome *outcome, deadline until) {
  if (count == 0 && status != KIST_APPROVAL_NEEDED) return (enum kist_result)status;
  bool has_body = status == KIST_REJECTED || status == KIST_APPROVAL_NEEDED || status == KIST_MALFORMED || status == KIST_BUSY;
  if (!has_body || count > REFUSAL_MOST) return KIST_E_REPLY;
  uint8_t body[REFUSAL_MOST];
  enum kist_result result = kist_socket_receive(socket, body, count, until);
  if (result != KIST_OK) return result;
  if (status == KIST_APPROVAL_NEEDED) return take_approval(body, count, outcome);
  if (status == KIST_MALFORMED) return take_malformation(body, count, outcome);
  if (status == KIST_BUSY) return take_wait(body, count, outcome);
  return take_rejection(body, count, outcome);
}

/* Skips a reply that does not fit the buffer, so that the connection stays usable. */
static enum kist_result discard(int socket, size_t count, struct kist_outcome *outcome, deadline until) {
  uint8_t chunk[4096];
  enum kist_result result = KIST_OK;
  for (size_t rest = count; rest > 0 && result == KIST_OK;) {
    size_t part = rest < sizeof(chunk) ? rest : sizeof(chunk);
    result = kist_socket_receive(socket, chunk, part, until);
    rest -= part;
  }
  explicit_bzero(chunk, sizeof(chunk));
  if (result != KIST_OK) return result;
  outcome->needed = count;
  return KIST_E_ROOM;
}

static enum kist_result take_body(int socket, const struct message *message, size_t count, void *reply, struct kist_buffer room,
                                  struct kist_outcome *outcome, deadline until) {
  if (!message) return count == 0 ? KIST_OK : KIST_E_REPLY;
  if (count > (room.data ? room.capacity : 0)) return discard(socket, count, outcome, until);
  enum kist_result result = kist_socket_receive(socket, room.data, count, until);
  if (result == KIST_OK && kist_decode(message, room.data, count, reply).fault != FAULT_NONE) result = KIST_E_REPLY;
  if (result == KIST_OK) return KIST_OK;
  if (count > 0) explicit_bzero(room.data, count);
  memset(reply, 0, message->size);
  return result;
}

enum kist_result kist_reply_take(int socket, const struct pending *request, void *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome, bool *ends, deadline until) {
  *ends = true;
  struct reply_header header;
  size_t count;
  enum kist_result result = take_header(socket, &header, &count, until);
  if (result != KIST_OK) return result;
  bool answers = header.opcode == request->operation->opcode && header.id == request->id;
  *ends = !answers;
  if (!answers && !is_about_connection(&header, count, request)) return KIST_E_REPLY;
  outcome->audit_sequence = header.audit_sequence;
  if (header.status != KIST_OK) return take_refusal(socket, header.status, count, outcome, until);
  return take_body(socket, request->operation->reply, count, reply, room, outcome, until);
}
