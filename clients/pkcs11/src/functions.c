/* The tables of functions, and the functions for which kistd has nothing: each says so as the standard does. */
#include "module.h"

#include <string.h>

static CK_RV without(CK_SESSION_HANDLE session, CK_RV answer) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  if (!session_of(session)) answer = CKR_SESSION_HANDLE_INVALID;
  module_unlock();
  return answer;
}

/* With no session of its own. */
static CK_RV unsupported(void) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  module_unlock();
  return CKR_FUNCTION_NOT_SUPPORTED;
}

/* For what other modules can do by these mechanisms, and kistd by none. Arguments that are not sound are so by any. */
#define BEGINS(name, is_sound, ...) \
  CK_RV name(CK_SESSION_HANDLE session, __VA_ARGS__) { \
    CK_RV result = without(session, CKR_MECHANISM_INVALID); \
    return result == CKR_MECHANISM_INVALID && !(is_sound) ? CKR_ARGUMENTS_BAD : result; \
  }
/* What could only follow that. */
#define FOLLOWS(name, ...) CK_RV name(CK_SESSION_HANDLE session, __VA_ARGS__) { return without(session, CKR_OPERATION_NOT_INITIALIZED); }
#define LACKS(name, ...) CK_RV name(CK_SESSION_HANDLE session, __VA_ARGS__) { return without(session, CKR_FUNCTION_NOT_SUPPORTED); }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

BEGINS(C_EncryptInit, mechanism, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
FOLLOWS(C_Encrypt, unsigned char *data, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_EncryptUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_EncryptFinal, unsigned char *out, unsigned long *out_count)
BEGINS(C_DecryptInit, mechanism, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
FOLLOWS(C_Decrypt, unsigned char *data, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_DecryptUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_DecryptFinal, unsigned char *out, unsigned long *out_count)
BEGINS(C_SignRecoverInit, mechanism, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
FOLLOWS(C_SignRecover, unsigned char *data, unsigned long count, unsigned char *out, unsigned long *out_count)
BEGINS(C_VerifyRecoverInit, mechanism, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
FOLLOWS(C_VerifyRecover, unsigned char *data, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_DigestEncryptUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_DecryptDigestUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_SignEncryptUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
FOLLOWS(C_DecryptVerifyUpdate, unsigned char *part, unsigned long count, unsigned char *out, unsigned long *out_count)
BEGINS(C_GenerateKey, mechanism && key && template_is_sound(template, count), CK_MECHANISM *mechanism, CK_ATTRIBUTE *template, unsigned long count,
       CK_OBJECT_HANDLE *key)
BEGINS(C_GenerateKeyPair,
       mechanism && public_key && private_key && template_is_sound(public_template, public_count) && template_is_sound(private_template, private_count),
       CK_MECHANISM *mechanism, CK_ATTRIBUTE *public_template, unsigned long public_count, CK_ATTRIBUTE *private_template,
       unsigned long private_count, CK_OBJECT_HANDLE *public_key, CK_OBJECT_HANDLE *private_key)
BEGINS(C_WrapKey, mechanism && count, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE wrapping, CK_OBJECT_HANDLE key, unsigned char *wrapped,
       unsigned long *count)
LACKS(C_CreateObject, CK_ATTRIBUTE *template, unsigned long count, CK_OBJECT_HANDLE *object)
LACKS(C_GetOperationState, unsigned char *state, unsigned long *count)
LACKS(C_SetOperationState, unsigned char *state, unsigned long count, CK_OBJECT_HANDLE encryption, CK_OBJECT_HANDLE authentication)

/* §5.5.8: the officer's alone, and there is none. */
CK_RV C_InitPIN(CK_SESSION_HANDLE session, unsigned char *pin, unsigned long count) {
  return without(session, CKR_USER_NOT_LOGGED_IN);
}

/* §5.5.9: where one could be set, only a session that can write would. */
CK_RV C_SetPIN(CK_SESSION_HANDLE handle, unsigned char *before, unsigned long before_count,
               unsigned char *after, unsigned long after_count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  bool writes = session && session->flags & CKF_RW_SESSION;
  module_unlock();
  if (!session) return CKR_SESSION_HANDLE_INVALID;
  return writes ? CKR_FUNCTION_NOT_SUPPORTED : CKR_SESSION_READ_ONLY;
}

CK_RV C_InitToken(CK_SLOT_ID id, unsigned char *pin, unsigned long count, unsigned char *label) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct slot *slot = slot_of(id);
  module_unlock();
  return slot ? CKR_FUNCTION_NOT_SUPPORTED : CKR_SLOT_ID_INVALID;
}

CK_RV C_WaitForSlotEvent(CK_FLAGS flags, CK_SLOT_ID *slot, void *reserved) { return unsupported(); }
/* §5.18: relics, which say this even without a session. */
CK_RV C_GetFunctionStatus(CK_SESSION_HANDLE session) { return CKR_FUNCTION_NOT_PARALLEL; }
CK_RV C_CancelFunction(CK_SESSION_HANDLE session) { return CKR_FUNCTION_NOT_PARALLEL; }

/* v3.0 adds these */

static CK_RV login_user(CK_SESSION_HANDLE session, CK_USER_TYPE type, unsigned char *pin, CK_ULONG count, unsigned char *name, CK_ULONG name_count) {
  CK_RV result = without(session, CKR_OK);
  if (result != CKR_OK) return result;
  // A user is whom the kernel names.
  return name || !name_count ? C_Login(session, type, pin, count) : CKR_ARGUMENTS_BAD;
}

static CK_RV session_cancel(CK_SESSION_HANDLE handle, CK_FLAGS flags) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  if (!session)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (!session_end(session, flags))
    result = CKR_OPERATION_CANCEL_FAILED;
  module_unlock();
  return result;
}

/* Messages with parameters of their own: for encryption by AEAD, of which there is none. */
static BEGINS(message_init, mechanism, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
static CK_RV message_step(CK_SESSION_HANDLE session) { return without(session, CKR_OPERATION_NOT_INITIALIZED); }

#pragma GCC diagnostic pop

#define ALL \
  C_Initialize, C_Finalize, C_GetInfo, C_GetFunctionList, C_GetSlotList, C_GetSlotInfo, C_GetTokenInfo, C_GetMechanismList, C_GetMechanismInfo, \
  C_InitToken, C_InitPIN, C_SetPIN, C_OpenSession, C_CloseSession, C_CloseAllSessions, C_GetSessionInfo, C_GetOperationState, \
  C_SetOperationState, C_Login, C_Logout, C_CreateObject, C_CopyObject, C_DestroyObject, C_GetObjectSize, C_GetAttributeValue, \
  C_SetAttributeValue, C_FindObjectsInit, C_FindObjects, C_FindObjectsFinal, C_EncryptInit, C_Encrypt, C_EncryptUpdate, C_EncryptFinal, \
  C_DecryptInit, C_Decrypt, C_DecryptUpdate, C_DecryptFinal, C_DigestInit, C_Digest, C_DigestUpdate, C_DigestKey, C_DigestFinal, C_SignInit, \
  C_Sign, C_SignUpdate, C_SignFinal, C_SignRecoverInit, C_SignRecover, C_VerifyInit, C_Verify, C_VerifyUpdate, C_VerifyFinal, \
  C_VerifyRecoverInit, C_VerifyRecover, C_DigestEncryptUpdate, C_DecryptDigestUpdate, C_SignEncryptUpdate, C_DecryptVerifyUpdate, \
  C_GenerateKey, C_GenerateKeyPair, C_WrapKey, C_UnwrapKey, C_DeriveKey, C_SeedRandom, C_GenerateRandom, C_GetFunctionStatus, \
  C_CancelFunction, C_WaitForSlotEvent

static CK_FUNCTION_LIST functions = {{2, 40}, ALL};

/* §5.4.5 and §5.4.6: v3.0's table is v2.40's and 24 functions more, and v3.1's is the same. */
struct functions_3 {
  CK_FUNCTION_LIST common;
  CK_RV (*get_interface_list)(struct interface *, CK_ULONG *);
  CK_RV (*get_interface)(const unsigned char *, const CK_VERSION *, struct interface **, CK_FLAGS);
  CK_RV (*login_user)(CK_SESSION_HANDLE, CK_USER_TYPE, unsigned char *, CK_ULONG, unsigned char *, CK_ULONG);
  CK_RV (*session_cancel)(CK_SESSION_HANDLE, CK_FLAGS);
  /* Encrypt, decrypt, sign, verify: an init, the whole, begin, next, final. */
  void (*messages[4][5])(void);
};

#define STEP (void (*)(void))message_step
#define MESSAGES {(void (*)(void))message_init, STEP, STEP, STEP, STEP}
#define EXTENDED(minor) \
  {{{3, minor}, ALL}, C_GetInterfaceList, C_GetInterface, login_user, session_cancel, {MESSAGES, MESSAGES, MESSAGES, MESSAGES}}

static struct functions_3 functions_3_0 = EXTENDED(0), functions_3_1 = EXTENDED(1);

/* The first is what a caller without wishes gets. A child must call C_Initialize, so none is safe to be forked. */
static char name[] = "PKCS 11";
static struct interface interfaces[] = {{name, &functions_3_1, 0}, {name, &functions_3_0, 0}, {name, &functions, 0}};
#define INTERFACES (sizeof interfaces / sizeof *interfaces)

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
  if (!list) return CKR_ARGUMENTS_BAD;
  *list = &functions;
  return CKR_OK;
}

CK_RV C_GetInterfaceList(struct interface *list, CK_ULONG *count) {
  if (!count) return CKR_ARGUMENTS_BAD;
  CK_ULONG room = *count;
  *count = INTERFACES;
  if (!list) return CKR_OK;
  if (room < INTERFACES) return CKR_BUFFER_TOO_SMALL;
  memcpy(list, interfaces, sizeof interfaces);
  return CKR_OK;
}

CK_RV C_GetInterface(const unsigned char *wanted, const CK_VERSION *version, struct interface **found, CK_FLAGS flags) {
  if (!found) return CKR_ARGUMENTS_BAD;
  for (size_t at = 0; at < INTERFACES; at++) {
    const CK_VERSION *has = interfaces[at].functions;
    if (wanted && strcmp((const char *)wanted, name)) continue;
    if (version && (version->major != has->major || version->minor != has->minor)) continue;
    if ((flags & interfaces[at].flags) != flags) continue;
    *found = &interfaces[at];
    return CKR_OK;
  }
  return CKR_ARGUMENTS_BAD;
}
