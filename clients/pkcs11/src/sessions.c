/* Sessions, logging in, and random bytes. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* In ascending order of their handles, which are never used again: a call that meets C_Finalize or C_CloseSession finds nothing. */
static struct session **sessions;
static size_t sessions_count, sessions_room;
static CK_SESSION_HANDLE last_handle;

static size_t place_of(CK_SESSION_HANDLE handle) {
  size_t low = 0, high = sessions_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (sessions[middle]->handle < handle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct session *session_of(CK_SESSION_HANDLE handle) {
  size_t place = place_of(handle);
  return place < sessions_count && sessions[place]->handle == handle ? sessions[place] : NULL;
}

CK_RV session_open(CK_SLOT_ID id, CK_FLAGS flags, CK_SESSION_HANDLE *handle) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = calloc(1, sizeof *session);
  if (!slot_of(id)) {
    result = CKR_SLOT_ID_INVALID;
  } else if (!session || !grow(&sessions, &sessions_room, sessions_count, sizeof *sessions)) {
    result = CKR_HOST_MEMORY;
  } else {
    *session = (struct session){.handle = *handle = ++last_handle, .slot = id - 1, .flags = flags};
    sessions[sessions_count++] = session;
    session = NULL;
  }
  free(session);
  module_unlock();
  return result;
}

void operation_end(struct operation *operation) {
  if (operation->connection) connection_release(operation->connection);
  free(operation->message);
  explicit_bzero(operation, sizeof *operation);
}

static void close_session(struct session *session) {
  for (size_t at = 0; at < PURPOSES; at++) operation_end(&session->operations[at]);
  free(session->found);
  free(session);
}

void sessions_close(CK_SLOT_ID id) {
  size_t kept = 0;
  for (size_t at = 0; at < sessions_count; at++) {
    if (sessions[at]->slot == id - 1)
      close_session(sessions[at]);
    else
      sessions[kept++] = sessions[at];
  }
  sessions_count = kept;
  if (kept) return;
  free(sessions);
  sessions = NULL;
  sessions_room = 0;
}

void sessions_abandon(void) {
  sessions = NULL;
  sessions_count = sessions_room = 0;
}

bool session_end(struct session *session, CK_FLAGS flags) {
  static const CK_FLAGS purposes[PURPOSES] = {CKF_SIGN, CKF_VERIFY, CKF_DIGEST};
  bool is_ended = true;
  for (size_t at = 0; at < PURPOSES; at++) {
    if (!(flags & purposes[at])) continue;
    if (session->operations[at].state == OPERATION_TAKEN)
      is_ended = false;
    else
      operation_end(&session->operations[at]);
  }
  if (!(flags & CKF_FIND_OBJECTS)) return is_ended;
  free(session->found);
  session->found = NULL;
  return is_ended;
}

CK_RV C_CloseSession(CK_SESSION_HANDLE handle) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  struct secret **gone = NULL;
  size_t count = 0;
  if (session) {
    struct slot *slot = slot_of(session->slot + 1);
    secrets_of_session(slot, handle, &gone, &count);
    size_t place = place_of(handle), slot_index = session->slot, left = 0;
    close_session(session);
    memmove(&sessions[place], &sessions[place + 1], (--sessions_count - place) * sizeof *sessions);
    for (size_t at = 0; at < sessions_count; at++) left += sessions[at]->slot == slot_index;
    // §5.6.7: with its last session an application is logged out.
    if (!left) slot->is_logged_in = false;
  }
  module_unlock();
  secrets_let_go(gone, count);
  return session ? CKR_OK : CKR_SESSION_HANDLE_INVALID;
}

CK_RV C_CloseAllSessions(CK_SLOT_ID id) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct slot *slot = slot_of(id);
  struct secret **gone = NULL;
  size_t count = 0;
  if (slot) {
    secrets_of_session(slot, 0, &gone, &count);
    sessions_close(id);
    slot->is_logged_in = false;
  }
  module_unlock();
  secrets_let_go(gone, count);
  return slot ? CKR_OK : CKR_SLOT_ID_INVALID;
}

CK_RV C_GetSessionInfo(CK_SESSION_HANDLE handle, CK_SESSION_INFO *info) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  if (!session) {
    result = CKR_SESSION_HANDLE_INVALID;
  } else if (!info) {
    result = CKR_ARGUMENTS_BAD;
  } else {
    bool writes = session->flags & CKF_RW_SESSION, is_user = slot_of(session->slot + 1)->is_logged_in;
    CK_STATE state = writes ? is_user ? CKS_RW_USER_FUNCTIONS : CKS_RW_PUBLIC_SESSION : is_user ? CKS_RO_USER_FUNCTIONS : CKS_RO_PUBLIC_SESSION;
    *info = (CK_SESSION_INFO){.slotID = session->slot + 1, .state = state, .flags = session->flags};
  }
  module_unlock();
  return result;
}

/*
 * There is no security officer; where one could not log in either way, the answer is the one for
 * that (§5.6.8), and of two the one that other modules give.
 */
static CK_RV refuse_officer(const struct slot *slot, size_t index) {
  for (size_t at = 0; at < sessions_count; at++)
    if (sessions[at]->slot == index && !(sessions[at]->flags & CKF_RW_SESSION)) return CKR_SESSION_READ_ONLY_EXISTS;
  return slot->is_logged_in ? CKR_USER_ANOTHER_ALREADY_LOGGED_IN : CKR_USER_TYPE_INVALID;
}

/* Whoever calls has the rights of its user already: this is for programs that will not go on without. The PIN is not looked at. */
CK_RV C_Login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, unsigned char *pin, unsigned long pin_count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
  if (!session)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (!pin && pin_count)
    result = CKR_ARGUMENTS_BAD;
  else if (user == CKU_CONTEXT_SPECIFIC)
    result = session->operations[PURPOSE_SIGN].state == OPERATION_NONE ? CKR_OPERATION_NOT_INITIALIZED : CKR_OK;
  else if (user != CKU_USER)
    result = user == CKU_SO ? refuse_officer(slot, session->slot) : CKR_USER_TYPE_INVALID;
  else if (slot->is_logged_in)
    result = CKR_USER_ALREADY_LOGGED_IN;
  else
    slot->is_logged_in = true;
  module_unlock();
  return result;
}

CK_RV C_Logout(CK_SESSION_HANDLE handle) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
  if (!session)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (!slot->is_logged_in)
    result = CKR_USER_NOT_LOGGED_IN;
  else
    slot->is_logged_in = false;
  module_unlock();
  return result;
}

CK_RV C_SeedRandom(CK_SESSION_HANDLE handle, unsigned char *seed, unsigned long count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  if (!session_of(handle)) result = CKR_SESSION_HANDLE_INVALID;
  module_unlock();
  if (result != CKR_OK) return result;
  return !seed && count ? CKR_ARGUMENTS_BAD : CKR_RANDOM_SEED_NOT_SUPPORTED;
}

CK_RV C_GenerateRandom(CK_SESSION_HANDLE handle, unsigned char *data, unsigned long count) {
  struct connection *connection;
  CK_RV result = connection_for(handle, &connection);
  if (result != CKR_OK) return result;
  if (!data && count) result = CKR_ARGUMENTS_BAD;
  uint8_t room[1100];
  while (result == CKR_OK && count) {
    struct kist_random_request request = {.count = count < 1024 ? (uint32_t)count : 1024};
    struct kist_random_reply reply;
    struct kist_outcome outcome;
    enum kist_result answer = kist_random(connection->kist, &request, &reply, KIST_ROOM(room), &outcome);
    if (answer == KIST_DENIED) {
      complain("random", answer, &outcome);
      result = CKR_RANDOM_NO_RNG;
    } else if (answer != KIST_OK) {
      result = refusal("random", answer, &outcome);
    } else {
      memcpy(data, reply.random.data, reply.random.count);
      data += reply.random.count;
      count -= reply.random.count;
    }
  }
  explicit_bzero(room, sizeof room);
  connection_release(connection);
  return result;
}
