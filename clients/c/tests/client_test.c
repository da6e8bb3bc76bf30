/* What a handle does with servers that lie, die, wait and come back, with threads, with children and with misuse. */
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>

#include "check.h"
#include "client.h"
#include "deadline.h"
#include "server.h"

static const struct kist_options patient = {.timeout_ms = 5000}, hurried = {.timeout_ms = 30};

/* Until the server has hung up, if this side has not. */
static void await_end(const struct kist *kist) {
  if (kist->socket >= 0) poll(&(struct pollfd){.fd = kist->socket, .events = POLLIN}, 1, -1);
}

static bool is_zero(const uint8_t *at, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (at[i]) return false;
  }
  return true;
}

static struct kist *open_handle(const struct server *server, const struct kist_options *options) {
  struct kist *kist;
  if (kist_open(&kist, server->endpoint, options) != KIST_OK) abort();
  return kist;
}

static enum kist_result draw(struct kist *kist, uint32_t count, uint8_t *room, size_t capacity, struct kist_outcome *outcome) {
  struct kist_random_reply reply;
  return kist_random(kist, &(struct kist_random_request){.count = count}, &reply, (struct kist_buffer){room, capacity}, outcome);
}

/* Answers that break the protocol */

struct answer {
  const char *name;
  size_t count;
  uint8_t bytes[64];
  enum kist_result expected;
};

/* To `random` of 4 bytes, request id 1: 24 bytes of header, then field 1. */
#define REPLY(LENGTH, VERSION, STATUS, OPCODE, ID) \
  0, 0, 0, LENGTH, VERSION, STATUS, 0, OPCODE, 0, 0, 0, 0, 0, 0, 0, ID, 0, 0, 0, 0, 0, 0, 0, 41

static const struct answer answers[] = {
    {"sound", 30, {REPLY(26, 1, 0, 5, 1), 0x0A, 4, 1, 2, 3, 4}, KIST_OK},
    {"nothing", 0, {0}, KIST_E_DISCONNECTED},
    {"half a length", 2, {0, 0}, KIST_E_DISCONNECTED},
    {"half a header", 12, {REPLY(26, 1, 0, 5, 1)}, KIST_E_DISCONNECTED},
    {"half a body", 27, {REPLY(26, 1, 0, 5, 1), 0x0A, 4, 1}, KIST_E_DISCONNECTED},
    {"a length below a header's", 24, {REPLY(19, 1, 0, 5, 1)}, KIST_E_REPLY},
    {"a length of zero", 24, {REPLY(0, 1, 0, 5, 1)}, KIST_E_REPLY},
    {"a length of four gigabytes", 24, {255, 255, 255, 255, 1, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1}, KIST_E_REPLY},
    {"one byte more than any reply", 24, {0, 16, 0, 1, 1, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1}, KIST_E_REPLY},
    {"another version", 30, {REPLY(26, 2, 0, 5, 1), 0x0A, 4, 1, 2, 3, 4}, KIST_E_REPLY},
    {"a status nobody knows", 24, {REPLY(20, 1, 250, 5, 1)}, KIST_E_REPLY},
    {"another opcode", 24, {REPLY(20, 1, 0, 1, 1)}, KIST_E_REPLY},
    {"another request's id", 30, {REPLY(26, 1, 0, 5, 77), 0x0A, 4, 1, 2, 3, 4}, KIST_E_REPLY},
    {"a field too many", 32, {REPLY(28, 1, 0, 5, 1), 0x0A, 4, 1, 2, 3, 4, 0x10, 1}, KIST_E_REPLY},
    {"an unknown field alone", 26, {REPLY(22, 1, 0, 5, 1), 0x10, 1}, KIST_E_REPLY},
    {"a field twice", 36, {REPLY(32, 1, 0, 5, 1), 0x0A, 4, 1, 2, 3, 4, 0x0A, 4, 1, 2, 3, 4}, KIST_E_REPLY},
    {"another wire type", 26, {REPLY(22, 1, 0, 5, 1), 0x08, 1}, KIST_E_REPLY},
    {"a padded length", 31, {REPLY(27, 1, 0, 5, 1), 0x0A, 0x84, 0, 1, 2, 3, 4}, KIST_E_REPLY},
    {"a length beyond the body", 30, {REPLY(26, 1, 0, 5, 1), 0x0A, 5, 1, 2, 3, 4}, KIST_E_REPLY},
    {"a length of 2^63", 35, {REPLY(31, 1, 0, 5, 1), 0x0A, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, KIST_E_REPLY},
    {"a byte behind the last field", 31, {REPLY(27, 1, 0, 5, 1), 0x0A, 4, 1, 2, 3, 4, 0}, KIST_E_REPLY},
    {"malformed", 24, {REPLY(20, 1, 1, 5, 1)}, KIST_MALFORMED},
    {"malformed, and nothing believed", 24, {REPLY(20, 1, 1, 0, 0)}, KIST_MALFORMED},
    {"malformed, and why", 36, {REPLY(32, 1, 1, 5, 1), 0x0A, 10, 'c', 'o', 'u', 'n', 't', ' ', 'i', 's', ' ', '9'}, KIST_MALFORMED},
    {"malformed with something else", 26, {REPLY(22, 1, 1, 5, 1), 0x08, 1}, KIST_E_REPLY},
    {"malformed, and nothing believed, with a body", 36, {REPLY(32, 1, 1, 0, 0), 0x0A, 10, 'c', 'o', 'u', 'n', 't', ' ', 'i', 's', ' ', '9'}, KIST_E_REPLY},
    {"unsupported", 24, {REPLY(20, 1, 2, 5, 1)}, KIST_UNSUPPORTED},
    {"denied", 24, {REPLY(20, 1, 3, 5, 1)}, KIST_DENIED},
    {"rejected in silence", 24, {REPLY(20, 1, 4, 5, 1)}, KIST_REJECTED},
    {"rejected with a stage", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 14, 0x10, 5}, KIST_REJECTED},
    {"rejected with the last field", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 51, 0x10, 13}, KIST_REJECTED},
    {"rejected with the last released field", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 28, 0x18, 22}, KIST_REJECTED},
    {"rejected with a field of a later daemon", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 51, 0x10, 14}, KIST_REJECTED},
    {"rejected with a released field of a later daemon", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 28, 0x18, 23}, KIST_REJECTED},
    {"rejected with a released field that is none", 28, {REPLY(24, 1, 4, 5, 1), 0x08, 28, 0x18, 18}, KIST_REJECTED},
    {"rejected with a stage of a later daemon", 27, {REPLY(23, 1, 4, 5, 1), 0x08, 0xFA, 0x01}, KIST_REJECTED},
    {"rejected with something else", 26, {REPLY(22, 1, 4, 5, 1), 0x0A, 99}, KIST_E_REPLY},
    {"busy", 24, {REPLY(20, 1, 5, 5, 1)}, KIST_BUSY},
    {"busy, and for how long", 27, {REPLY(23, 1, 5, 5, 1), 0x08, 0xFA, 0x01}, KIST_BUSY},
    {"busy for no time", 26, {REPLY(22, 1, 5, 5, 1), 0x08, 0}, KIST_E_REPLY},
    {"busy for more than two weeks", 30, {REPLY(26, 1, 5, 5, 1), 0x08, 0x81, 0x90, 0xE4, 0xC0, 0x04}, KIST_E_REPLY},
    {"busy with something else", 26, {REPLY(22, 1, 5, 5, 1), 0x0A, 0x63}, KIST_E_REPLY},
    {"locked", 24, {REPLY(20, 1, 6, 5, 1)}, KIST_LOCKED},
    {"audit-unavailable", 24, {REPLY(20, 1, 7, 5, 1)}, KIST_AUDIT_UNAVAILABLE},
    {"internal", 24, {REPLY(20, 1, 8, 5, 1)}, KIST_INTERNAL},
    {"approval-needed", 40, {REPLY(36, 1, 9, 5, 1), 0x0A, 0x08, 0x31, 0x61, 0x32, 0x62, 0x33, 0x63, 0x34, 0x64, 0x10, 0x80, 0xF2, 0xD6, 0xCA, 0x06}, KIST_APPROVAL_NEEDED},
    {"approval-needed in silence", 24, {REPLY(20, 1, 9, 5, 1)}, KIST_APPROVAL_NEEDED},
    {"approval-needed with something else", 26, {REPLY(22, 1, 9, 5, 1), 0x08, 0x63}, KIST_E_REPLY},
    {"busy, and the connection with it", 24, {REPLY(20, 1, 5, 0, 0)}, KIST_BUSY},
    {"busy, and the connection with it, with a body", 26, {REPLY(22, 1, 5, 0, 0), 0x08, 1}, KIST_E_REPLY},
    {"denied, and the connection with it", 24, {REPLY(20, 1, 3, 0, 0)}, KIST_E_REPLY},
    {"denied with a body", 26, {REPLY(22, 1, 3, 5, 1), 0x08, 1}, KIST_E_REPLY},
};

/* What the outcome of these rejections says, and of no other. */
static const struct {
  const char *name;
  struct kist_outcome outcome;
} rejections[] = {
    {"rejected with a stage", {.stage = 14, .field = 5}},
    {"rejected with the last field", {.stage = 51, .field = 13}},
    {"rejected with the last released field", {.stage = 28, .released_field = KIST_JWE}},
    {"rejected with a field of a later daemon", {.stage = 51}},
    {"rejected with a released field of a later daemon", {.stage = 28}},
    {"rejected with a released field that is none", {.stage = 28}},
};

static void check_answer(const struct answer *answer) {
  struct server server = {.answer = answer->bytes, .answer_count = answer->count};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[256];
  memset(room, 0xEE, sizeof(room));
  struct kist_outcome outcome;
  enum kist_result result = draw(kist, 4, room, sizeof(room), &outcome);
  CHECK(result == answer->expected, "%s: %s", answer->name, kist_result_name(result));
  bool has_record = result >= KIST_OK;
  CHECK(!has_record || outcome.audit_sequence == 41, "%s: audit sequence %llu", answer->name, (unsigned long long)outcome.audit_sequence);
  struct kist_outcome rejection = {.stage = 0};
  for (size_t i = 0; i < sizeof(rejections) / sizeof(rejections[0]); i++) {
    if (strcmp(answer->name, rejections[i].name) == 0) rejection = rejections[i].outcome;
  }
  CHECK(outcome.stage == rejection.stage && outcome.field == rejection.field && outcome.released_field == rejection.released_field,
        "%s: stage %u, field %u, released field %u", answer->name, outcome.stage, outcome.field, outcome.released_field);
  bool waits = strcmp(answer->name, "approval-needed") == 0;
  CHECK(strcmp(outcome.request, waits ? "1a2b3c4d" : "") == 0 && outcome.until == (waits ? 1767225600u : 0u), "%s: request %s", answer->name, outcome.request);
  bool says = strcmp(answer->name, "busy, and for how long") == 0;
  CHECK(outcome.retry_after_ms == (says ? 250u : 0u) && outcome.request_id == 1, "%s: for %u ms", answer->name, outcome.retry_after_ms);
  CHECK(strcmp(outcome.breach, strcmp(answer->name, "malformed, and why") == 0 ? "count is 9" : "") == 0, "%s: breach %s", answer->name, outcome.breach);
  CHECK(is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "%s: the request is still there", answer->name);
  CHECK(result != KIST_E_REPLY || answer->count <= 26 || room[0] == 0 || room[0] == 0xEE, "%s: what was refused is still there", answer->name);
  /* The next call connects anew, and meets the same with a request id that is too old. */
  await_end(kist);
  result = draw(kist, 4, room, sizeof(room), NULL);
  CHECK(result == KIST_E_REPLY || result == answer->expected, "%s: then %s", answer->name, kist_result_name(result));
  kist_close(kist);
  server_stop(&server);
}

/* Connections */

static void check_endpoints(void) {
  struct kist *kist;
  static const char *const refused[] = {"", "unix:", "unix:relative", "/run/kist/kist.sock", "tcp:127.0.0.1:1", "UNIX:/run", " unix:/run", "http://x"};
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
    CHECK(kist_open(&kist, refused[i], NULL) == KIST_E_ENDPOINT && !kist, "%s", refused[i]);
  }
  CHECK(kist_open(&kist, "unix:/nonexistent/kist.sock", NULL) == KIST_E_UNREACHABLE && errno == ENOENT && !kist, "errno %d", errno);
  char path[256];
  snprintf(path, sizeof(path), "unix:/%0200d", 0);
  CHECK(kist_open(&kist, path, NULL) == KIST_E_UNREACHABLE && errno == ENAMETOOLONG, "errno %d", errno);
  setenv("KIST_ENDPOINT", "tcp:localhost", 1);
  CHECK(kist_open(&kist, NULL, NULL) == KIST_E_ENDPOINT, "of the environment");
  struct server server = {0};
  server_start(&server);
  setenv("KIST_ENDPOINT", server.endpoint, 1);
  CHECK(kist_open(&kist, NULL, NULL) == KIST_OK && kist_ping(kist, NULL) == KIST_OK, "of the environment");
  kist_close(kist);
  kist_close(NULL);
  server_stop(&server);
}

static void check_reconnect(void) {
  struct server server = {.hang_up_after = 1};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[64];
  for (unsigned i = 1; i <= 4; i++) {
    CHECK(draw(kist, 16, room, sizeof(room), NULL) == KIST_OK, "call %u", i);
    CHECK(atomic_load(&server.connections) == i, "%u connections", atomic_load(&server.connections));
    await_end(kist);
  }
  CHECK(atomic_load(&server.requests) == 4, "%u requests", atomic_load(&server.requests));
  server_stop(&server);
  struct kist_outcome outcome;
  CHECK(kist_ping(kist, &outcome) == KIST_E_UNREACHABLE && outcome.system_error == ENOENT, "errno %d", outcome.system_error);
  kist_close(kist);
}

static void check_timeout(void) {
  struct server server = {.is_silent = true};
  server_start(&server);
  struct kist *kist = open_handle(&server, &hurried);
  CHECK(kist_ping(kist, NULL) == KIST_E_TIMEOUT, "once");
  CHECK(kist_ping(kist, NULL) == KIST_E_TIMEOUT, "twice");
  /* A late reply to the first must not be taken for the second's. */
  CHECK(atomic_load(&server.connections) == 2, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);
}

/* What was said of the next call holds for that one alone. */
static void check_next_call(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  struct kist_outcome outcome;
  static const uint64_t ids[] = {1, 0xFEEDull << 48, 2, 3};
  for (size_t i = 0; i < 4; i++) {
    if (i == 1) kist_next_call(kist, &(struct kist_call_options){.request_id = ids[i]});
    /* [WIRE-19] The server answers with the id that was sent. */
    CHECK(kist_ping(kist, &outcome) == KIST_OK && outcome.request_id == ids[i], "%zu: request %llu", i, (unsigned long long)outcome.request_id);
  }
  kist_next_call(kist, &(struct kist_call_options){.request_id = 77});
  kist_next_call(kist, NULL);
  CHECK(kist_ping(kist, &outcome) == KIST_OK && outcome.request_id == 4, "taken back: %llu", (unsigned long long)outcome.request_id);
  kist_next_call(kist, &(struct kist_call_options){.request_id = 78});
  CHECK(kist_random(kist, &(struct kist_random_request){.count = 0}, &(struct kist_random_reply){0}, (struct kist_buffer){0}, &outcome) == KIST_E_REQUEST &&
            outcome.request_id == 0, "nothing was sent");
  CHECK(kist_ping(kist, &outcome) == KIST_OK && outcome.request_id == 5, "and that was the next call");
  kist_next_call(kist, &(struct kist_call_options){.request_id = 79});
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK && kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "submitted");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, &outcome) == KIST_OK && outcome.request_id == 79, "the first");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, &outcome) == KIST_OK && outcome.request_id == 6, "the second");
  CHECK(atomic_load(&server.connections) == 1, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);

  struct server silent = {.is_silent = true};
  server_start(&silent);
  kist = open_handle(&silent, &(struct kist_options){.timeout_ms = -1});
  kist_next_call(kist, &(struct kist_call_options){.request_id = 80, .timeout_ms = 30});
  CHECK(kist_ping(kist, &outcome) == KIST_E_TIMEOUT && outcome.request_id == 80, "request %llu", (unsigned long long)outcome.request_id);
  kist_next_call(kist, &(struct kist_call_options){.timeout_ms = 30});
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "submitted");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, &outcome) == KIST_E_TIMEOUT && outcome.request_id == 1, "request %llu", (unsigned long long)outcome.request_id);
  kist_close(kist);
  server_stop(&silent);
}

/* A listing, id 1 or 2: keys with these labels, and states where they are not active; and whether more follow. */
static size_t page(uint8_t *at, uint8_t id, const char *const *labels, bool more) {
  size_t count = 24;
  for (; *labels; labels++) {
    const char *state = **labels == '-' ? "destroyed" : "active";
    const char *label = **labels == '-' ? *labels + 1 : *labels;
    size_t size = strlen(label), key = 18 + 2 + size + 2 + strlen(state);
    at[count++] = 0x0A;
    at[count++] = (uint8_t)key;
    at[count++] = 0x0A;
    at[count++] = 16;
    memset(at + count, label[size - 1], 16);
    count += 16;
    at[count++] = 0x12;
    at[count++] = (uint8_t)size;
    memcpy(at + count, label, size);
    count += size;
    at[count++] = 0x22;
    at[count++] = (uint8_t)strlen(state);
    memcpy(at + count, state, strlen(state));
    count += strlen(state);
  }
  if (more) {
    at[count++] = 0x10;
    at[count++] = 1;
  }
  const uint8_t header[] = {REPLY(0, 1, 0, 3, 0)};
  memcpy(at, header, 24);
  at[2] = (uint8_t)((count - 4) >> 8);
  at[3] = (uint8_t)(count - 4);
  at[15] = id;
  return count;
}

/* Exactly one key, over all pages, that is not destroyed. */
static void check_find_key(void) {
  static const struct {
    const char *first[4], *second[4]; /* the pages; one that begins with NULL is none */
    enum kist_result expected;
  } searches[] = {
      {{"k/a"}, {NULL}, KIST_OK},
      {{NULL}, {NULL}, KIST_E_NO_KEY},
      {{"-k/0", "k/a", "-k/b"}, {NULL}, KIST_OK},
      {{"-k/a"}, {NULL}, KIST_E_NO_KEY},
      {{"k/a", "k/b"}, {NULL}, KIST_E_SEVERAL_KEYS},
      {{"-k/0"}, {"-k/1", "k/a"}, KIST_OK},
      {{"k/a"}, {"k/b"}, KIST_E_SEVERAL_KEYS},
      {{"k/a"}, {"-k/b"}, KIST_OK},
      {{"k/b"}, {"k/a"}, KIST_E_REPLY},
      {{"k/a"}, {"k/a"}, KIST_E_REPLY},
  };
  for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++) {
    uint8_t first[512], second[512];
    bool has_second = searches[i].second[0];
    struct server server = {.answer = first, .answer_count = page(first, 1, searches[i].first, has_second)};
    if (has_second) {
      server.second = second;
      server.second_count = page(second, 2, searches[i].second, false);
    }
    server_start(&server);
    struct kist *kist = open_handle(&server, &patient);
    uint8_t key[KIST_KEY_ID_SIZE] = {0}, room[512];
    enum kist_result result = kist_find_key(kist, "k/*", key, KIST_ROOM(room), NULL);
    CHECK(result == searches[i].expected && (result != KIST_OK || key[15] == 'a'), "search %zu: %s", i, kist_result_name(result));
    kist_close(kist);
    server_stop(&server);
  }
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  struct kist_outcome outcome;
  uint8_t key[KIST_KEY_ID_SIZE], room[512];
  char longest[KIST_LABEL_MOST + 2] = "";
  memset(longest, 'k', KIST_LABEL_MOST + 1);
  CHECK(kist_find_key(kist, longest, key, KIST_ROOM(room), &outcome) == KIST_E_REQUEST &&
            strcmp(outcome.breach, "pattern has 129 bytes; it takes at most 128") == 0, "%s", outcome.breach);
  CHECK(atomic_load(&server.requests) == 0, "%u requests", atomic_load(&server.requests));
  kist_close(kist);
  server_stop(&server);
}

static void *let_in(void *listener) {
  poll(NULL, 0, 50);
  int taken = accept(*(int *)listener, NULL, NULL);
  if (taken < 0) abort();
  close(taken);
  return NULL;
}

/* A listener that accepts nobody, and whose queue is full. */
static void check_full_queue(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/libkist-%d-full.sock", getpid());
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), waiting = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, 0) != 0) abort();
  if (connect(waiting, (struct sockaddr *)&address, sizeof(address)) != 0) abort();
  char endpoint[128];
  snprintf(endpoint, sizeof(endpoint), "unix:%s", address.sun_path);
  struct kist *kist;
  deadline over = kist_deadline(hurried.timeout_ms);
  CHECK(kist_open(&kist, endpoint, &hurried) == KIST_E_UNREACHABLE && errno == EAGAIN && !kist, "errno %d", errno);
  CHECK(kist_deadline_rest(over) <= 1, "it did not wait: %d ms are left", kist_deadline_rest(over));
  /* One who is let in while it waits is connected. */
  pthread_t door;
  if (pthread_create(&door, NULL, let_in, &listener) != 0) abort();
  CHECK(kist_open(&kist, endpoint, &patient) == KIST_OK, "errno %d", errno);
  pthread_join(door, NULL);
  kist_close(kist);
  close(waiting);
  close(listener);
  unlink(address.sun_path);
}

/* What was sent once is never sent again. */
static void check_no_repetition(void) {
  struct server server = {.answer = (const uint8_t *)"", .answer_count = 0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  CHECK(kist_ping(kist, NULL) == KIST_E_DISCONNECTED, "hung up");
  CHECK(atomic_load(&server.requests) == 1, "%u requests", atomic_load(&server.requests));
  kist_close(kist);
  server_stop(&server);
}

static void check_room(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[2048];
  struct kist_outcome outcome;
  for (size_t capacity = 0; capacity < 18; capacity += 6) {
    CHECK(draw(kist, 16, room, capacity, &outcome) == KIST_E_ROOM && outcome.needed == 18, "%zu: needed %zu", capacity, outcome.needed);
  }
  CHECK(draw(kist, 1000, room, 100, &outcome) == KIST_E_ROOM && outcome.needed == 1003, "needed %zu", outcome.needed);
  CHECK(draw(kist, 16, room, 18, &outcome) == KIST_OK && outcome.needed == 0, "just enough, on the same connection");
  CHECK(atomic_load(&server.connections) == 1, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);
}

static void check_bounds(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  static uint8_t large[70000];
  const uint8_t key[KIST_KEY_ID_SIZE] = {1};
  uint8_t room[64];
  struct kist_seal_reply sealed;
  struct kist_sign_reply signature;
  struct kist_unseal_reply unsealed;
  struct kist_verify_payment_token_reply verified;
  struct kist_outcome outcome;
#define REFUSED(CALL, TEXT) CHECK((CALL) == KIST_E_REQUEST && strcmp(outcome.breach, TEXT) == 0, "%s, not %s", outcome.breach, TEXT)
  REFUSED(draw(kist, 0, room, sizeof(room), &outcome), "count is missing");
  REFUSED(draw(kist, 1025, room, sizeof(room), &outcome), "count is 1025; it takes 1 to 1024");
  struct kist_seal_request seal = {.plaintext = {large, 65537}};
  REFUSED(kist_seal(kist, key, &seal, &sealed, KIST_ROOM(room), &outcome), "plaintext has 65537 bytes; it takes at most 65536");
  struct kist_unseal_request unseal = {.sealed = {large, 16}, .iv = {large, 13}};
  REFUSED(kist_unseal(kist, key, &unseal, &unsealed, KIST_ROOM(room), &outcome),
          "iv is none of the values it takes here, or does not go with the other fields");
  struct kist_verify_payment_token_request verify = {
      .token = {.version = KIST_EC_V1, .data = {large, 32}, .signature = {large, 64}, .public_key_hash = {large, 32}, .transaction_id = {large, 31}}};
  REFUSED(kist_verify_payment_token(kist, key, &verify, &verified, &outcome), "token.transaction_id has 31 bytes; it takes 32");
  struct kist_open_payment_token_request open = {.token = verify.token, .release = KIST_RELEASE(KIST_LAST4) | KIST_RELEASE(KIST_JWE)};
  open.token.transaction_id.count = 32;
  struct kist_open_payment_token_reply opened;
  REFUSED(kist_open_payment_token(kist, NULL, &open, &opened, KIST_ROOM(room), &outcome),
          "release is none of the values it takes here, or does not go with the other fields");
  struct kist_open_envelope_request envelope = {.envelope = {large, 64}, .transaction_id = {large, 32}, .required = KIST_RELEASE(KIST_JWE)};
  REFUSED(kist_open_envelope(kist, key, &envelope, &opened, KIST_ROOM(room), &outcome),
          "required is none of the values it takes here, or does not go with the other fields");
  struct kist_sign_request sign = {.scheme = 0, .message = KIST_TEXT("message")};
  REFUSED(kist_sign(kist, key, &sign, &signature, KIST_ROOM(room), &outcome), "scheme is missing");
  sign.scheme = KIST_ED25519;
  REFUSED(kist_sign(kist, NULL, &sign, &signature, KIST_ROOM(room), &outcome), "");
  REFUSED(kist_sign(kist, key, NULL, &signature, KIST_ROOM(room), &outcome), "");
  struct kist_list_keys_request list = {.prefix = KIST_TEXT("\xC0\x80")};
  static struct kist_list_keys_reply keys;
  REFUSED(kist_list_keys(kist, &list, &keys, KIST_ROOM(room), &outcome), "prefix is not UTF-8");
  CHECK(kist_submit(kist, (enum kist_operation)0x0999, NULL, NULL) == KIST_E_REQUEST, "no operation");
  CHECK(is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "a refused request is still there");
  CHECK(atomic_load(&server.requests) == 0, "%u requests were sent", atomic_load(&server.requests));
  kist_close(kist);
  server_stop(&server);
}

/* [WIRE-21] The daemon answers whom it has no room for and closes before it reads: sending may meet EPIPE or not. */
static void check_over_the_caps(void) {
  static const uint8_t busy[] = {REPLY(20, 1, 5, 0, 0)};
  struct server server = {.greeting = busy};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[64];
  for (int i = 0; i < 20; i++) CHECK(draw(kist, 16, room, sizeof(room), NULL) == KIST_BUSY, "call %d", i);
  /* None of a connection's requests was carried out, however many of them could be sent. */
  unsigned submitted = 0;
  while (submitted < 8 && kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK) submitted += 1;
  CHECK(submitted >= 1, "%u submitted", submitted);
  unsigned refused = 0;
  for (unsigned i = 0; i < submitted; i++) refused += kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_BUSY;
  CHECK(refused == submitted, "%u of %u", refused, submitted);
  kist_close(kist);
  server_stop(&server);
}

/* Callers that hand over too little: nothing is sent, and the handle goes on. */
static void check_nulls(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[64];
  const struct kist_random_request four = {.count = 4};
  struct kist_random_reply reply;
  struct kist_outcome outcome;
  CHECK(kist_random(kist, &four, NULL, KIST_ROOM(room), NULL) == KIST_E_REQUEST, "no place for the reply");
  const uint8_t key[KIST_KEY_ID_SIZE] = {1};
  struct kist_mac_request mac = {.message = {NULL, 4}};
  struct kist_mac_reply code;
  CHECK(kist_mac(kist, key, &mac, &code, KIST_ROOM(room), NULL) == KIST_E_REQUEST, "bytes that are nowhere");
  CHECK(atomic_load(&server.requests) == 0, "%u requests were sent", atomic_load(&server.requests));
  CHECK(kist_random(kist, &four, &reply, (struct kist_buffer){NULL, 64}, &outcome) == KIST_E_ROOM && outcome.needed == 6, "room that is nowhere");
  CHECK(draw(kist, 4, room, sizeof(room), NULL) == KIST_OK, "afterwards");
  CHECK(atomic_load(&server.connections) == 1, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);
}

/* A reply without a byte is refused where a field must be there, and there is no room that could be wiped. */
static void check_empty_reply(void) {
  static const uint8_t empty[] = {REPLY(20, 1, 0, 7, 1)};
  struct server server = {.answer = empty, .answer_count = sizeof(empty)};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  struct kist_audit_digest_reply digest;
  struct kist_audit_digest_request request = {.field = KIST_DIGEST_PAN, .value = KIST_TEXT("4109370251004320")};
  CHECK(kist_audit_digest(kist, &request, &digest, (struct kist_buffer){0}, NULL) == KIST_E_REPLY, "a reply without its field");
  kist_close(kist);
  server_stop(&server);
}

/* A reply that has no room and ends too early: the room would not have helped. */
static void check_needed(void) {
  static const uint8_t half[] = {REPLY(100, 1, 0, 5, 1), 0x0A, 78, 1, 2};
  struct server server = {.answer = half, .answer_count = sizeof(half)};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[4];
  struct kist_outcome outcome;
  CHECK(draw(kist, 78, room, sizeof(room), &outcome) == KIST_E_DISCONNECTED && outcome.needed == 0, "needed %zu", outcome.needed);
  kist_close(kist);
  server_stop(&server);
}

/* Nested messages are encoded behind room for the longest length and moved: nothing of them may stay where they were. */
static void check_nested_is_wiped(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  const uint8_t key[KIST_KEY_ID_SIZE] = {1};
  uint8_t room[64];
  struct kist_sign_otp_reply value;
  for (size_t count = 1; count <= 19; count++) {
    struct kist_bytes number = {(const uint8_t *)"9999999999999999999", count};
    struct kist_sign_otp_request request = {.visa = {.type = KIST_MBPAD, .account_number = number}};
    CHECK(kist_sign_otp(kist, key, &request, &value, KIST_ROOM(room), NULL) == KIST_OK, "%zu digits", count);
  CHECK(is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "%zu digits are still there", count);
  }
  struct kist_kdf_reply derived;
  struct kist_kdf_request request = {
      .handle = {key, sizeof(key)}, .derivation = KIST_HKDF_SHA256, .count = 32, .other_info = {.supp_priv_info = KIST_TEXT("private")}};
  CHECK(kist_kdf(kist, key, &request, &derived, KIST_ROOM(room), NULL) == KIST_OK, "derived");
  CHECK(is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "private info is still there");
  kist_close(kist);
  server_stop(&server);
}

/* Pipelining */

static void check_pipeline(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  uint8_t room[2048];
  struct kist_random_reply reply;
  CHECK(kist_collect(kist, NULL, KIST_ROOM(room), NULL) == KIST_E_ORDER, "nothing was submitted");
  for (int round = 0; round < 3; round++) {
    for (uint32_t i = 1; i <= KIST_IN_FLIGHT; i++) {
      CHECK(kist_submit(kist, KIST_OP_RANDOM, NULL, &(struct kist_random_request){.count = i * 20}) == KIST_OK, "%u", i);
    }
    CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_E_FULL, "one more than may be");
    CHECK(kist_ping(kist, NULL) == KIST_E_ORDER, "a call in between");
    CHECK(kist_collect(kist, NULL, KIST_ROOM(room), NULL) == KIST_E_REQUEST, "no place for the reply");
    for (uint32_t i = 1; i <= KIST_IN_FLIGHT; i++) {
      CHECK(kist_collect(kist, &reply, KIST_ROOM(room), NULL) == KIST_OK && reply.random.count == i * 20, "%u", i);
    }
  }
  CHECK(kist_ping(kist, NULL) == KIST_OK, "a call afterwards");
  /* Bytes are bounded as well, but not of one request alone. */
  static uint8_t large[65536];
  const uint8_t key[KIST_KEY_ID_SIZE] = {1};
  struct kist_sign_request sign = {.scheme = KIST_ED25519, .message = {large, sizeof(large)}};
  CHECK(kist_submit(kist, KIST_OP_SIGN, key, &sign) == KIST_OK, "one large one");
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_E_FULL, "a small one behind it");
  kist_close(kist);
  server_stop(&server);
}

/* What is submitted leaves with the first reply that is collected, or when the caller says so, and is wiped then. */
static void check_line(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  CHECK(kist_flush(kist) == KIST_OK, "nothing waits");
  for (unsigned round = 1; round <= 2; round++) {
    for (int i = 0; i < 3; i++) CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "%d", i);
    CHECK(kist->guard->waiting == 3 * 32, "%zu bytes wait", kist->guard->waiting);
    if (round == 2) {
      CHECK(kist_flush(kist) == KIST_OK, "sent");
      CHECK(is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "what was sent is still there");
      while (atomic_load(&server.requests) < 6) sched_yield();
    }
    for (int i = 0; i < 3; i++) CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_OK, "%d", i);
    CHECK(atomic_load(&server.requests) == 3 * round, "%u requests", atomic_load(&server.requests));
    CHECK(kist->guard->waiting == 0 && is_zero(kist->guard->frames, sizeof(kist->guard->frames)), "what was sent is still there");
  }
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "submitted");
  CHECK(kist_submit(kist, KIST_OP_RANDOM, NULL, &(struct kist_random_request){.count = 0}) == KIST_E_REQUEST, "a flawed one behind it");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_OK, "is in nobody's way");
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "submitted");
  kist_close(kist);
  server_stop(&server);
  CHECK(atomic_load(&server.requests) == 7, "a closed handle sent what waited: %u requests", atomic_load(&server.requests));
}

/* A daemon that hangs up on the first loses all that were sent with it. */
static void check_lost_line(void) {
  struct server server = {.drops = 1};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  for (int i = 0; i < 3; i++) CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "%d", i);
  for (int i = 0; i < 3; i++) CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_E_DISCONNECTED, "%d", i);
  CHECK(kist_ping(kist, NULL) == KIST_OK, "afterwards");
  kist_close(kist);
  server_stop(&server);
}

/* The replies before the end can be collected, those behind it are lost, and the handle goes on. */
static void check_broken_pipeline(void) {
  struct server server = {.hang_up_after = 3};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  unsigned submitted = 0;
  while (submitted < 8 && kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK) submitted += 1;
  CHECK(submitted >= 3, "%u submitted", submitted);
  for (unsigned i = 0; i < submitted; i++) {
    enum kist_result result = kist_collect(kist, NULL, (struct kist_buffer){0}, NULL);
    CHECK(result == (i < 3 ? KIST_OK : KIST_E_DISCONNECTED), "%u: %s", i, kist_result_name(result));
  }
  for (unsigned i = submitted; i < 8; i++) CHECK(true, "so that the count is always the same");
  CHECK(kist_ping(kist, NULL) == KIST_OK, "afterwards");
  kist_close(kist);
  server_stop(&server);
}

/* Threads and children */

static void *draw_often(void *argument) {
  uint8_t room[1100];
  size_t good = 0;
  for (uint32_t i = 1; i <= 200; i++) good += draw(argument, i, room, sizeof(room), NULL) == KIST_OK && room[i + 1 + (i > 127)] == 0xA5;
  return (void *)good; /* NOLINT: a count */
}

static void check_threads(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, draw_often, kist);
  for (int i = 0; i < 8; i++) {
    void *good;
    pthread_join(threads[i], &good);
    CHECK((size_t)good == 200, "thread %d: %zu", i, (size_t)good);
  }
  CHECK(atomic_load(&server.connections) == 1, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);
}

static void *give_soon(void *guard) {
  poll(NULL, 0, 50);
  kist_guard_give(guard);
  return NULL;
}

/* Whoever shares a handle with a thread whose call takes longer is not kept waiting beyond the time-out; who has the time gets a turn. */
static void check_shared_time(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  struct kist_outcome outcome;
  CHECK(kist_guard_take(kist->guard, kist_deadline(-1)), "as another thread in a call");
  deadline over = kist_deadline(1000);
  kist_next_call(kist, &(struct kist_call_options){.request_id = 7, .timeout_ms = 30});
  CHECK(kist_ping(kist, &outcome) == KIST_E_TIMEOUT && outcome.request_id == 0, "request %llu", (unsigned long long)outcome.request_id);
  kist_next_call(kist, &(struct kist_call_options){.timeout_ms = 30});
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_E_TIMEOUT, "submitted");
  kist->timeout_ms = 30;
  CHECK(kist_flush(kist) == KIST_E_TIMEOUT, "flushed");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, &outcome) == KIST_E_TIMEOUT && outcome.request_id == 0, "collected");
  CHECK(kist_deadline_rest(over) > 0, "it waited for more than the time-outs");
  CHECK(atomic_load(&server.requests) == 0, "%u requests", atomic_load(&server.requests));
  kist->timeout_ms = patient.timeout_ms;
  pthread_t other;
  if (pthread_create(&other, NULL, give_soon, kist->guard) != 0) abort();
  CHECK(kist_ping(kist, &outcome) == KIST_OK && outcome.request_id == 1, "request %llu", (unsigned long long)outcome.request_id);
  pthread_join(other, NULL);
  CHECK(atomic_load(&server.connections) == 1, "%u connections", atomic_load(&server.connections));
  kist_close(kist);
  server_stop(&server);
}

static int in_child(struct kist *kist) {
  uint8_t room[64];
  if (kist->count != 2 || kist->guard->owned) return 1;
  if (kist_collect(kist, NULL, KIST_ROOM(room), NULL) != KIST_E_ORDER) return 2; /* the parent's to collect */
  if (kist_ping(kist, NULL) != KIST_OK) return 3;
  kist_close(kist);
  return 0;
}

static void check_fork(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "one");
  CHECK(kist_submit(kist, KIST_OP_PING, NULL, NULL) == KIST_OK, "two");
  /* Whoever forks while another thread is in a call leaves the child a lock that nobody holds. */
  CHECK(kist_guard_take(kist->guard, kist_deadline(-1)), "its turn");
  pthread_mutex_lock(&kist->guard->lock);
  pid_t child = fork();
  if (child == 0) _exit(in_child(kist));
  pthread_mutex_unlock(&kist->guard->lock);
  kist_guard_give(kist->guard);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends with %d", WEXITSTATUS(status));
  CHECK(atomic_load(&server.connections) == 2, "%u connections", atomic_load(&server.connections));
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_OK, "one");
  CHECK(kist_collect(kist, NULL, (struct kist_buffer){0}, NULL) == KIST_OK, "two");
  kist_close(kist);
  server_stop(&server);
}

/* What is opened with a retry key is sent twice at most, and never without one. */

struct retry {
  unsigned drops, silences;
  bool has_key, retries;
  uint8_t status; /* of the answer to the request that is not lost; 0 for a sound one */
  uint8_t wait;   /* how long `busy` says to wait; 0 for one that is about the connection */
  bool leaves;
  enum kist_result result;
  unsigned requests;
  uint64_t request_id; /* of the outcome */
};

/* Opens a token or an envelope, with a retry key if one is given. */
static enum kist_result open_once_or_twice(struct kist *kist, bool is_envelope, bool retries, struct kist_bytes retry_key, struct kist_outcome *outcome) {
  static const uint8_t bytes[64];
  struct kist_open_payment_token_request token = {.token = {.version = 1, .public_key_hash = {bytes, 32}, .transaction_id = {bytes, 32}}};
  struct kist_open_envelope_request envelope = {.envelope = {bytes, 64}, .transaction_id = {bytes, 32}};
  token.retry_key = envelope.retry_key = retry_key;
  struct kist_open_payment_token_reply reply;
  uint8_t room[256];
  if (!is_envelope)
    return retries ? kist_open_payment_token_retrying(kist, NULL, &token, &reply, KIST_ROOM(room), outcome)
                   : kist_open_payment_token(kist, NULL, &token, &reply, KIST_ROOM(room), outcome);
  return retries ? kist_open_envelope_retrying(kist, bytes, &envelope, &reply, KIST_ROOM(room), outcome)
                 : kist_open_envelope(kist, bytes, &envelope, &reply, KIST_ROOM(room), outcome);
}

static void check_one_retry(const struct retry *retry, bool is_envelope, size_t row) {
  static const struct kist_options impatient = {.timeout_ms = 200};
  bool is_about_connection = retry->status == KIST_BUSY && retry->wait == 0;
  uint8_t id = is_about_connection ? 0 : (uint8_t)(retry->drops + retry->silences + 1);
  uint8_t operation = is_about_connection ? 0 : is_envelope ? KIST_OP_OPEN_ENVELOPE : KIST_OP_OPEN_PAYMENT_TOKEN;
  const uint8_t answer[] = {REPLY(retry->wait ? 22 : 20, 1, retry->status, operation, id), 0x08, retry->wait};
  struct server server = {.drops = retry->drops, .silences = retry->silences, .leaves = retry->leaves};
  if (retry->status) server.answer = answer;
  server.answer_count = retry->wait ? 26 : 24;
  server_start(&server);
  struct kist *kist = open_handle(&server, &impatient);
  uint8_t key[KIST_RETRY_KEY_SIZE];
  CHECK(kist_make_retry_key(key), "random bytes");
  struct kist_bytes retry_key = {key, retry->has_key ? sizeof(key) : 0};
  struct kist_outcome outcome;
  enum kist_result result = open_once_or_twice(kist, is_envelope, retry->retries, retry_key, &outcome);
  kist_close(kist);
  server_stop(&server);
  CHECK(result == retry->result, "row %zu: %s", row, kist_result_name(result));
  CHECK(outcome.request_id == retry->request_id, "row %zu: request %llu", row, (unsigned long long)outcome.request_id);
  CHECK(outcome.retry_after_ms == (result == KIST_BUSY ? retry->wait : 0u), "row %zu: for %u ms", row, outcome.retry_after_ms);
  unsigned requests = atomic_load(&server.requests), connections = atomic_load(&server.connections);
  CHECK(requests == retry->requests, "row %zu: %u requests", row, requests);
  CHECK(connections == (requests > 1 ? 2 : 1), "row %zu: %u connections", row, connections);
}

static void check_retry(void) {
  static const struct retry rows[] = {
      {.has_key = true, .retries = true, .result = KIST_OK, .requests = 1, .request_id = 1},
      {.drops = 1, .has_key = true, .retries = true, .result = KIST_OK, .requests = 2, .request_id = 2},
      {.silences = 1, .has_key = true, .retries = true, .result = KIST_OK, .requests = 2, .request_id = 2},
      {.drops = 2, .has_key = true, .retries = true, .result = KIST_E_DISCONNECTED, .requests = 2, .request_id = 2},
      {.silences = 2, .has_key = true, .retries = true, .result = KIST_E_TIMEOUT, .requests = 2, .request_id = 2},
      {.drops = 1, .has_key = true, .result = KIST_E_DISCONNECTED, .requests = 1, .request_id = 1},
      {.drops = 1, .result = KIST_E_DISCONNECTED, .requests = 1, .request_id = 1},
      /* What the daemon says of itself does not say that the first was not carried out. */
      {.drops = 1, .has_key = true, .retries = true, .leaves = true, .result = KIST_E_DISCONNECTED, .requests = 1, .request_id = 1},
      {.drops = 1, .has_key = true, .retries = true, .status = KIST_LOCKED, .result = KIST_E_DISCONNECTED, .requests = 2, .request_id = 1},
      {.silences = 1, .has_key = true, .retries = true, .status = KIST_LOCKED, .result = KIST_E_TIMEOUT, .requests = 2, .request_id = 1},
      {.drops = 1, .has_key = true, .retries = true, .status = KIST_AUDIT_UNAVAILABLE, .result = KIST_E_DISCONNECTED, .requests = 2, .request_id = 1},
      {.drops = 1, .has_key = true, .retries = true, .status = KIST_BUSY, .result = KIST_E_DISCONNECTED, .requests = 2, .request_id = 1},
      /* What it says of the request is the answer, and so is all that it says to the first. */
      {.drops = 1, .has_key = true, .retries = true, .status = KIST_BUSY, .wait = 100, .result = KIST_BUSY, .requests = 2, .request_id = 2},
      {.drops = 1, .has_key = true, .retries = true, .status = KIST_REJECTED, .result = KIST_REJECTED, .requests = 2, .request_id = 2},
      {.has_key = true, .retries = true, .status = KIST_LOCKED, .result = KIST_LOCKED, .requests = 1, .request_id = 1},
      {.has_key = true, .retries = true, .status = KIST_AUDIT_UNAVAILABLE, .result = KIST_AUDIT_UNAVAILABLE, .requests = 1, .request_id = 1},
      {.has_key = true, .retries = true, .status = KIST_BUSY, .result = KIST_BUSY, .requests = 1, .request_id = 1},
  };
  for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) check_one_retry(&rows[i / 2], i % 2 == 1, i / 2);
}

/* A call that lacks something is the handle's next call all the same, and its outcome says what. */
static void check_refused_calls(void) {
  struct server server = {0};
  server_start(&server);
  struct kist *kist = open_handle(&server, &patient);
  static const uint8_t bytes[64];
  uint8_t key[KIST_KEY_ID_SIZE], room[64];
  struct kist_open_payment_token_request request = {.token = {.version = 1, .public_key_hash = {bytes, 32}, .transaction_id = {bytes, 32}}};
  struct kist_open_payment_token_reply reply;
  struct kist_list_keys_reply keys;
  for (int call = 0; call < 8; call++) {
    struct kist_outcome outcome;
    memset(&outcome, 0xEE, sizeof(outcome));
    kist_next_call(kist, &(struct kist_call_options){.request_id = 77});
    enum kist_result result = call == 0 ? kist_open_payment_token_retrying(kist, NULL, &request, &reply, KIST_ROOM(room), &outcome)
                            : call == 1 ? kist_open_payment_token_retrying(kist, NULL, NULL, &reply, KIST_ROOM(room), &outcome)
                            : call == 2 ? kist_find_key(kist, NULL, key, KIST_ROOM(room), &outcome)
                            : call == 3 ? kist_find_key(kist, "", key, KIST_ROOM(room), &outcome)
                            : call == 4 ? kist_list_keys(kist, NULL, &keys, KIST_ROOM(room), &outcome)
                            : call == 5 ? kist_describe(kist, NULL, KIST_ROOM(room), &outcome)
                            : call == 6 ? open_once_or_twice(kist, true, true, (struct kist_bytes){0}, &outcome)
                                        : kist_call(kist, (enum kist_operation)0x0999, NULL, NULL, NULL, KIST_ROOM(room), &outcome);
    const char *breach = call == 0 || call == 6 ? "retry_key is missing" : call == 2 || call == 3 ? "pattern is missing" : "";
    CHECK(result == KIST_E_REQUEST && strcmp(outcome.breach, breach) == 0, "call %d: %s, %s", call, kist_result_name(result), outcome.breach);
    CHECK(outcome.audit_sequence == KIST_UNAUDITED && outcome.request_id == 0 && outcome.needed == 0, "call %d: an outcome of something else", call);
    CHECK(kist_ping(kist, &outcome) == KIST_OK && outcome.request_id == (uint64_t)call + 1, "call %d: what was said of it held for the next", call);
  }
  CHECK(kist_find_key(kist, "", key, KIST_ROOM(room), NULL) == KIST_E_REQUEST, "without an outcome");
  CHECK(atomic_load(&server.requests) == 8, "%u requests", atomic_load(&server.requests));
  kist_close(kist);
  server_stop(&server);
}

static void check_names(void) {
  for (int result = -10; result <= 9; result++) CHECK(strcmp(kist_result_name((enum kist_result)result), "unknown") != 0, "%d", result);
  CHECK(strcmp(kist_result_name((enum kist_result)10), "unknown") == 0, "no result");
  CHECK(strcmp(kist_stage_name(14), "signing-time") == 0 && strcmp(kist_stage_name(29), "unknown") == 0, "stages");
  CHECK(strcmp(kist_version(), KIST_VERSION) == 0, "%s", kist_version());
}

/* What clients/python/src/kist/jws.py makes of the same, which another library verifies. */
static void check_jws(void) {
  static const char expected[] = "eyJhbGciOiJFUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIiwiaWF0IjoxNzUwMDAwMDAwfQ.eyJhIjoxfQ.AAECAw";
  const struct kist_jws_header header = {.kid = "issuer-1", .typ = "JWT", .iat = 1750000000};
  const uint8_t *payload = (const uint8_t *)"{\"a\":1}", signature[] = {0, 1, 2, 3};
  const size_t whole = sizeof(expected) - 1, input = whole - 7;
  char room[256];
  for (size_t size = 0; size <= sizeof(room); size++) {
    memset(room, '#', sizeof(room));
    size_t count = kist_jws_input(KIST_ECDSA_P256_SHA256_FIXED, &header, payload, 7, room, size);
    CHECK(count == (size < input ? 0 : input) && (size == sizeof(room) || room[size] == '#'), "%zu of %zu", count, size);
    if (count == 0) continue;
    count = kist_jws_compact(room, count, size, signature, sizeof(signature));
    CHECK(count == (size < whole ? 0 : whole) && (count == 0 || memcmp(room, expected, whole) == 0), "%zu of %zu", count, size);
  }
  CHECK(kist_jws_input(KIST_ED25519, NULL, NULL, 0, room, sizeof(room)) == 21 && memcmp(room, "eyJhbGciOiJFZERTQSJ9.", 21) == 0, "Ed25519");
  for (uint32_t scheme = 0; scheme < 14; scheme++) {
    bool has_name = scheme == KIST_ECDSA_P256_SHA256_FIXED || scheme == KIST_ECDSA_P384_SHA384_FIXED || scheme == KIST_RSA_PKCS1_SHA256 ||
                    scheme == KIST_RSA_PSS_SHA256 || scheme == KIST_ED25519;
    CHECK((kist_jws_input(scheme, &header, payload, 7, room, sizeof(room)) > 0) == has_name, "scheme %u", scheme);
  }
  static const char *const bad[] = {"a\"b", "a\\b", "a\nb", "\xc3\xa9", "\x7f"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    const struct kist_jws_header wrong = {.aud = bad[i]};
    CHECK(kist_jws_input(KIST_ED25519, &wrong, payload, 7, room, sizeof(room)) == 0, "text %zu", i);
  }
  static char longest[KIST_JWS_HEADER_MOST + 1];
  memset(longest, 'k', KIST_JWS_HEADER_MOST);
  CHECK(kist_jws_input(KIST_ED25519, &(const struct kist_jws_header){.kid = longest}, payload, 7, room, sizeof(room)) == 0, "a long header");
  CHECK(kist_jws_compact(room, 0, sizeof(room), signature, 4) == 0 && kist_jws_compact(room, 9, 8, signature, 4) == 0, "no input");
}

int main(void) {
  for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) check_answer(&answers[i]);
  check_endpoints();
  check_reconnect();
  check_timeout();
  check_next_call();
  check_find_key();
  check_full_queue();
  check_no_repetition();
  check_room();
  check_bounds();
  check_over_the_caps();
  check_nulls();
  check_empty_reply();
  check_needed();
  check_nested_is_wiped();
  check_pipeline();
  check_line();
  check_lost_line();
  check_broken_pipeline();
  check_threads();
  check_shared_time();
  check_fork();
  check_retry();
  check_refused_calls();
  check_names();
  check_jws();
  return finish(1583);
}
