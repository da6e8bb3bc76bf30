/* Slots: one for each endpoint of kistd's, with a token in it as long as somebody answers there. */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL "unix:/run/kist/kist.sock"
/* A Unix socket's path is shorter, and of a longer one nobody answers. */
#define PATH_MOST 128

static struct slot slots[SLOTS_MOST];
static size_t slots_count;
/* At which endpoints somebody has answered, in this process or in its parent; by slot. */
static char seen[SLOTS_MOST][PATH_MOST];

/* Numbered from 1 as they are named, so that a slot keeps its number. */
struct slot *slot_of(CK_SLOT_ID id) { return id >= 1 && id <= slots_count ? &slots[id - 1] : NULL; }

/* KIST_PKCS11_ENDPOINTS has several, with spaces between them; otherwise there is the one that all clients take. */
void slots_open(void) {
  const char *named = secure_getenv("KIST_PKCS11_ENDPOINTS"), *usual = secure_getenv("KIST_ENDPOINT");
  char *names = strdup(named && *named ? named : usual && *usual ? usual : USUAL), *rest = NULL;
  slots_count = 0;
  for (char *name = names ? strtok_r(names, " ", &rest) : NULL; name && slots_count < SLOTS_MOST; name = strtok_r(NULL, " ", &rest)) {
    slots[slots_count] = (struct slot){.endpoint = strdup(name)};
    if (slots[slots_count].endpoint) slots_count++;
  }
  free(names);
}

void slots_abandon(void) {
  for (size_t at = 0; at < slots_count; at++)
    for (size_t index = 0; index < CONNECTIONS; index++)
      if (slots[at].connections[index]) kist_close(slots[at].connections[index]->kist);
  sessions_abandon();
}

void slots_close(void) {
  for (size_t at = 0; at < slots_count; at++) {
    struct slot *slot = &slots[at];
    sessions_close(at + 1);
    for (size_t index = 0; index < CONNECTIONS; index++)
      if (slot->connections[index]) connection_release(slot->connections[index]);
    for (size_t index = 0; index < slot->keys_count; index++) {
      description_free(&slot->keys[index]->description);
      free(slot->keys[index]);
    }
    // Their connections are gone, and with them what they stood for.
    for (size_t index = 0; index < slot->secrets_count; index++) {
      connection_release(slot->secrets[index]->connection);
      free(slot->secrets[index]);
    }
    free(slot->keys);
    free(slot->secrets);
    free(slot->endpoint);
    *slot = (struct slot){0};
  }
  slots_count = 0;
}

struct connection *connection_retain(struct connection *connection) {
  atomic_fetch_add(&connection->references, 1);
  return connection;
}

void connection_release(struct connection *connection) {
  if (atomic_fetch_sub(&connection->references, 1) != 1) return;
  kist_close(connection->kist);
  free(connection);
}

/* The place of a session's connection: its sessions take turns. */
static struct connection **place_of(CK_SESSION_HANDLE handle) {
  struct session *session = session_of(handle);
  return session ? &slots[session->slot].connections[handle % CONNECTIONS] : NULL;
}

/* NULL, and why. */
static struct connection *connect_to(const char *endpoint, CK_RV *why) {
  struct connection *connection = malloc(sizeof *connection);
  *why = CKR_HOST_MEMORY;
  if (!connection) return NULL;
  *connection = (struct connection){0};
  atomic_init(&connection->references, 1);
  enum kist_result result = kist_open(&connection->kist, endpoint, NULL);
  if (result == KIST_OK) return connection;
  free(connection);
  *why = refusal("connect", result, &(struct kist_outcome){.audit_sequence = KIST_UNAUDITED});
  return NULL;
}

CK_RV connection_for(CK_SESSION_HANDLE session, struct connection **connection) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct connection **place = place_of(session);
  char *endpoint = NULL;
  if (!place)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (*place)
    *connection = connection_retain(*place);
  else if (!(endpoint = strdup(slots[session_of(session)->slot].endpoint)))
    result = CKR_HOST_MEMORY;
  module_unlock();
  if (result != CKR_OK || !endpoint) return result;
  struct connection *made = connect_to(endpoint, &result);
  free(endpoint);
  if (!made) return result;
  result = module_lock();
  if (result == CKR_OK) {
    // Another session may have been faster.
    place = place_of(session);
    if (place && !*place) *place = connection_retain(made);
    *connection = place ? connection_retain(*place) : NULL;
    if (!place) result = CKR_SESSION_HANDLE_INVALID;
    module_unlock();
  }
  connection_release(made);
  return result;
}

/* Whether somebody answers at the slot's endpoint; without the lock. It needs no grant and leaves no record. */
static CK_RV find_token(CK_SLOT_ID id) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct slot *slot = slot_of(id);
  char *endpoint = slot ? strdup(slot->endpoint) : NULL;
  module_unlock();
  if (!endpoint) return slot ? CKR_HOST_MEMORY : CKR_SLOT_ID_INVALID;
  struct kist *kist = NULL;
  enum kist_result answer = kist_open(&kist, endpoint, &(struct kist_options){.timeout_ms = 5000});
  if (answer == KIST_OK) answer = kist_ping(kist, NULL);
  kist_close(kist);
  // Also one that is busy, or refuses, is there.
  bool is_there = answer >= KIST_OK;
  if (is_there && module_lock() == CKR_OK) {
    snprintf(seen[id - 1], PATH_MOST, "%s", endpoint);
    module_unlock();
  }
  free(endpoint);
  return is_there ? CKR_OK : CKR_TOKEN_NOT_PRESENT;
}

/*
 * Once somebody has answered, a session can be opened while nobody does, and what is done in it says CKR_DEVICE_REMOVED. For libp11 waits for
 * a session that it is refused, and never asks again: a worker of nginx that met a restart of the daemon's would hang for good.
 */
static CK_RV expect_token(CK_SLOT_ID id) {
  CK_RV result = find_token(id);
  if (result != CKR_TOKEN_NOT_PRESENT || module_lock() != CKR_OK) return result;
  if (slot_of(id) && !strcmp(seen[id - 1], slot_of(id)->endpoint)) result = CKR_OK;
  module_unlock();
  return result;
}

CK_RV C_GetSlotList(unsigned char token_present, CK_SLOT_ID *slot_list, unsigned long *count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  size_t known = slots_count;
  module_unlock();
  if (!count) return CKR_ARGUMENTS_BAD;
  CK_SLOT_ID there[SLOTS_MOST];
  size_t found = 0;
  for (CK_SLOT_ID id = 1; id <= known; id++)
    if (!token_present || find_token(id) == CKR_OK) there[found++] = id;
  CK_ULONG room = *count;
  *count = found;
  if (!slot_list) return CKR_OK;
  if (room < found) return CKR_BUFFER_TOO_SMALL;
  memcpy(slot_list, there, found * sizeof *there);
  return CKR_OK;
}

CK_RV C_GetSlotInfo(CK_SLOT_ID id, CK_SLOT_INFO *info) {
  CK_RV token = find_token(id);
  if (token != CKR_OK && token != CKR_TOKEN_NOT_PRESENT) return token;
  if (!info) return CKR_ARGUMENTS_BAD;
  *info = (CK_SLOT_INFO){.flags = CKF_REMOVABLE_DEVICE | (token == CKR_OK ? CKF_TOKEN_PRESENT : 0)};
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  pad(info->slotDescription, sizeof info->slotDescription, slot_of(id) ? slot_of(id)->endpoint : "");
  pad(info->manufacturerID, sizeof info->manufacturerID, "Kist");
  module_unlock();
  return CKR_OK;
}

/* "Kist", "Kist 2" and so on. */
static void label_token(unsigned char label[32], CK_SLOT_ID id) {
  char text[33] = "Kist";
  if (id > 1) snprintf(text, sizeof text, "Kist %lu", id);
  pad(label, 32, text);
}

/* Stays the same for an endpoint, and is another one's for every other. */
static void number_token(unsigned char number[16], const char *endpoint) {
  uint8_t digest[64];
  struct hashing hashing;
  char text[17];
  hash_begin(&hashing, HASH_SHA256);
  hash_add(&hashing, (const uint8_t *)endpoint, strlen(endpoint));
  hash_end(&hashing, digest);
  for (size_t at = 0; at < 8; at++) snprintf(text + 2 * at, 3, "%02x", digest[at]);
  pad(number, 16, text);
}

CK_RV C_GetTokenInfo(CK_SLOT_ID id, CK_TOKEN_INFO *info) {
  CK_RV result = find_token(id);
  if (result != CKR_OK) return result;
  if (!info) return CKR_ARGUMENTS_BAD;
  result = module_lock();
  if (result != CKR_OK) return result;
  // Nobody logs in: the kernel says who calls.
  *info = (CK_TOKEN_INFO){
    .flags = CKF_RNG | CKF_PROTECTED_AUTHENTICATION_PATH | CKF_USER_PIN_INITIALIZED | CKF_TOKEN_INITIALIZED,
    .ulMaxSessionCount = CK_EFFECTIVELY_INFINITE, .ulSessionCount = CK_UNAVAILABLE_INFORMATION, .ulMaxRwSessionCount = CK_EFFECTIVELY_INFINITE,
    .ulRwSessionCount = CK_UNAVAILABLE_INFORMATION, .ulMaxPinLen = 255, .ulTotalPublicMemory = CK_UNAVAILABLE_INFORMATION,
    .ulFreePublicMemory = CK_UNAVAILABLE_INFORMATION, .ulTotalPrivateMemory = CK_UNAVAILABLE_INFORMATION,
    .ulFreePrivateMemory = CK_UNAVAILABLE_INFORMATION,
  };
  label_token(info->label, id);
  number_token(info->serialNumber, slot_of(id) ? slot_of(id)->endpoint : "");
  pad(info->manufacturerID, sizeof info->manufacturerID, "Kist");
  pad(info->model, sizeof info->model, "kistd");
  memset(info->utcTime, '0', sizeof info->utcTime);
  module_unlock();
  return CKR_OK;
}

CK_RV C_GetMechanismList(CK_SLOT_ID id, CK_MECHANISM_TYPE *list, unsigned long *count) {
  CK_RV result = find_token(id);
  if (result != CKR_OK) return result;
  if (!count) return CKR_ARGUMENTS_BAD;
  CK_ULONG room = *count;
  *count = mechanisms_count;
  if (!list) return CKR_OK;
  if (room < mechanisms_count) return CKR_BUFFER_TOO_SMALL;
  for (size_t at = 0; at < mechanisms_count; at++) list[at] = mechanisms[at].type;
  return CKR_OK;
}

CK_RV C_GetMechanismInfo(CK_SLOT_ID id, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info) {
  CK_RV result = find_token(id);
  if (result != CKR_OK) return result;
  if (!info) return CKR_ARGUMENTS_BAD;
  const struct mechanism *mechanism = mechanism_of(type);
  if (!mechanism) return CKR_MECHANISM_INVALID;
  *info = (CK_MECHANISM_INFO){mechanism->least, mechanism->most, mechanism->flags};
  return CKR_OK;
}

CK_RV C_OpenSession(CK_SLOT_ID id, CK_FLAGS flags, void *application, CK_NOTIFY notify, CK_SESSION_HANDLE *handle) {
  (void)application, (void)notify;
  CK_RV result = expect_token(id);
  if (result != CKR_OK) return result;
  if (!handle) return CKR_ARGUMENTS_BAD;
  if (!(flags & CKF_SERIAL_SESSION)) return CKR_SESSION_PARALLEL_NOT_SUPPORTED;
  return session_open(id, flags & (CKF_SERIAL_SESSION | CKF_RW_SESSION), handle);
}
