/* Secrets that come from a key and stay in kistd behind a handle: agreed on (§6.3.13), or unwrapped (§6.1.8). */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Above all handles of keys' objects; none is given twice. */
static CK_OBJECT_HANDLE last_object = 0x40000000UL;

static void let_go(struct secret *secret) {
  struct kist_release_handle_request request = {.handle = {secret->handle, sizeof secret->handle}};
  struct kist_outcome outcome;
  // What kistd has forgotten already is gone, too.
  (void)kist_release_handle(secret->connection->kist, secret->key, &request, &outcome);
  connection_release(secret->connection);
  free(secret);
}

void secrets_let_go(struct secret **gone, size_t count) {
  for (size_t at = 0; at < count; at++) let_go(gone[at]);
  free(gone);
}

void secrets_of_session(struct slot *slot, CK_SESSION_HANDLE session, struct secret ***gone, size_t *count) {
  *count = 0;
  *gone = slot->secrets_count ? calloc(slot->secrets_count, sizeof **gone) : NULL;
  // Without memory they stay until their connection ends.
  if (!*gone) return;
  size_t kept = 0;
  for (size_t at = 0; at < slot->secrets_count; at++) {
    if (!session || slot->secrets[at]->session == session)
      (*gone)[(*count)++] = slot->secrets[at];
    else
      slot->secrets[kept++] = slot->secrets[at];
  }
  slot->secrets_count = kept;
}

/* Templates */

/* What the caller wants of the new object; CKR_OK if it can be so. */
static CK_RV read_flag(const CK_ATTRIBUTE *attribute, bool *flag) {
  if (attribute->ulValueLen != sizeof(CK_BBOOL) || !attribute->pValue) return CKR_ATTRIBUTE_VALUE_INVALID;
  *flag = *(const CK_BBOOL *)attribute->pValue;
  return CKR_OK;
}

static CK_RV read_text(const CK_ATTRIBUTE *attribute, void *room, size_t most, size_t *count) {
  if (attribute->ulValueLen > most) return CKR_ATTRIBUTE_VALUE_INVALID;
  *count = attribute->ulValueLen;
  if (*count) memcpy(room, attribute->pValue, *count);
  return CKR_OK;
}

static bool is_secret_type(CK_KEY_TYPE type) {
  return type == CKK_GENERIC_SECRET || type == CKK_AES || type == CKK_SHA256_HMAC || type == CKK_SHA384_HMAC || type == CKK_SHA512_HMAC;
}

static bool is_size(CK_KEY_TYPE type, CK_ULONG size) {
  return type == CKK_AES ? size == 16 || size == 24 || size == 32 : size >= 16 && size <= 256;
}

static CK_RV read_attribute(const CK_ATTRIBUTE *attribute, struct secret *secret) {
  CK_RV result = CKR_OK;
  CK_ULONG number = 0;
  bool flag = false;
  switch (attribute->type) {
  case CKA_CLASS: return template_number(attribute, &number) && number == CKO_SECRET_KEY ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
  case CKA_KEY_TYPE: return template_number(attribute, &secret->type) && is_secret_type(secret->type) ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
  case CKA_VALUE_LEN: return template_number(attribute, &secret->size) ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
  case CKA_LABEL: return read_text(attribute, secret->label, sizeof secret->label, &secret->label_count);
  case CKA_ID: return read_text(attribute, secret->id, sizeof secret->id, &secret->id_count);
  case CKA_SIGN: return read_flag(attribute, &secret->signs);
  case CKA_VERIFY: return read_flag(attribute, &secret->verifies);
  // What they say of other uses is not kept: kistd has none for the module.
  case CKA_ENCRYPT:
  case CKA_DECRYPT:
  case CKA_WRAP:
  case CKA_UNWRAP:
  case CKA_DERIVE:
  case CKA_PRIVATE:
  case CKA_MODIFIABLE:
  case CKA_COPYABLE:
  case CKA_DESTROYABLE: return read_flag(attribute, &flag);
  case CKA_TOKEN: return (result = read_flag(attribute, &flag)) ? result : flag ? CKR_TOKEN_WRITE_PROTECTED : CKR_OK;
  // It never leaves.
  case CKA_EXTRACTABLE: return (result = read_flag(attribute, &flag)) ? result : flag ? CKR_TEMPLATE_INCONSISTENT : CKR_OK;
  case CKA_SENSITIVE: return (result = read_flag(attribute, &flag)) ? result : flag ? CKR_OK : CKR_TEMPLATE_INCONSISTENT;
  case CKA_VALUE: return CKR_ATTRIBUTE_READ_ONLY;
  default: return CKR_ATTRIBUTE_TYPE_INVALID;
  }
}

static CK_RV read_template(const CK_ATTRIBUTE *template, CK_ULONG count, struct secret *secret) {
  if (!template_is_sound(template, count)) return CKR_ARGUMENTS_BAD;
  *secret = (struct secret){.type = CKK_GENERIC_SECRET, .signs = true, .verifies = true};
  for (CK_ULONG at = 0; at < count; at++) {
    CK_RV result = read_attribute(&template[at], secret);
    if (result != CKR_OK) return result;
  }
  return CKR_OK;
}

/* From a key to a secret */

/* The key and the connection; without the lock afterwards. */
static CK_RV source(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, const CK_MECHANISM *asked, CK_FLAGS flag, struct secret *secret, enum kind *kind) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  struct object object;
  const struct mechanism *mechanism = asked ? mechanism_of(asked->mechanism) : NULL;
  if (!session)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (!asked)
    result = CKR_ARGUMENTS_BAD;
  else if (!mechanism || !(mechanism->flags & flag))
    result = CKR_MECHANISM_INVALID;
  else if (!object_of(slot_of(session->slot + 1), number, &object) || object.part == PART_CERTIFICATE)
    result = flag == CKF_UNWRAP ? CKR_UNWRAPPING_KEY_HANDLE_INVALID : CKR_KEY_HANDLE_INVALID;
  else if (object.secret || !mechanism_takes(mechanism, object.key->kind))
    result = flag == CKF_UNWRAP ? CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT : CKR_KEY_TYPE_INCONSISTENT;
  else if (object.part != PART_PRIVATE || !(object.key->uses & (flag == CKF_UNWRAP ? USE_UNWRAP : USE_DERIVE)))
    result = CKR_KEY_FUNCTION_NOT_PERMITTED;
  if (result == CKR_OK) {
    memcpy(secret->key, object.key->id, sizeof secret->key);
    *kind = object.key->kind;
  }
  module_unlock();
  return result;
}

/* Gives it a handle in its session; lets go of it if the session is gone. */
static CK_RV install(CK_SESSION_HANDLE handle, const struct secret *made, CK_OBJECT_HANDLE *object) {
  struct secret *secret = malloc(sizeof *secret);
  CK_RV result = secret ? module_lock() : CKR_HOST_MEMORY;
  if (result == CKR_OK) {
    struct session *session = session_of(handle);
    struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
    if (!slot) {
      result = CKR_SESSION_HANDLE_INVALID;
    } else if (!grow(&slot->secrets, &slot->secrets_room, slot->secrets_count, sizeof *slot->secrets)) {
      result = CKR_HOST_MEMORY;
    } else {
      *secret = *made;
      secret->session = handle;
      *object = secret->object = ++last_object;
      slot->secrets[slot->secrets_count++] = secret;
    }
    module_unlock();
  }
  if (result == CKR_OK) return CKR_OK;
  free(secret);
  struct kist_release_handle_request request = {.handle = {made->handle, sizeof made->handle}};
  (void)kist_release_handle(made->connection->kist, made->key, &request, NULL);
  connection_release(made->connection);
  return result;
}

/* Agreement */

static uint32_t derivation_of(CK_ULONG function) {
  switch (function) {
  case CKD_SHA256_KDF: return KIST_X963_SHA256;
  case CKD_SHA384_KDF: return KIST_X963_SHA384;
  case CKD_SHA512_KDF: return KIST_X963_SHA512;
  case CKD_SHA256_KDF_SP800: return KIST_ONE_STEP_SHA256;
  case CKD_SHA384_KDF_SP800: return KIST_ONE_STEP_SHA384;
  case CKD_SHA512_KDF_SP800: return KIST_ONE_STEP_SHA512;
  default: return 0;
  }
}

/* A point as the standard has it, or in the OCTET STRING in which CKA_EC_POINT gives it. */
static struct kist_bytes point_of(const CK_ECDH1_DERIVE_PARAMS *parameters, CK_ULONG bits) {
  size_t size = 1 + bits / 4;
  const uint8_t *data = parameters->pPublicData;
  if (parameters->ulPublicDataLen == size + 2 && data[0] == 0x04 && data[1] == size) return (struct kist_bytes){data + 2, size};
  return (struct kist_bytes){data, parameters->ulPublicDataLen == size ? size : 0};
}

static CK_RV agree(struct secret *secret, const CK_ECDH1_DERIVE_PARAMS *parameters, struct kist_bytes point) {
  struct kist *kist = secret->connection->kist;
  uint8_t room[256];
  struct kist_outcome outcome;
  struct kist_ecdh_request request = {.peer = point};
  struct kist_ecdh_reply agreed;
  enum kist_result answer = kist_ecdh(kist, secret->key, &request, &agreed, KIST_ROOM(room), &outcome);
  if (answer == KIST_REJECTED) return CKR_PUBLIC_KEY_INVALID;
  if (answer != KIST_OK) return refusal("ecdh", answer, &outcome);
  if (agreed.handle.count != sizeof secret->handle) return CKR_DEVICE_ERROR;
  memcpy(secret->handle, agreed.handle.data, sizeof secret->handle);
  struct kist_kdf_request derive = {
    .handle = {secret->handle, sizeof secret->handle}, .derivation = derivation_of(parameters->kdf), .count = (uint32_t)secret->size,
    .info = {parameters->pSharedData, parameters->ulSharedDataLen},
  };
  struct kist_kdf_reply derived;
  // Spends the handle of Z, whatever it answers.
  answer = kist_kdf(kist, secret->key, &derive, &derived, KIST_ROOM(room), &outcome);
  if (answer != KIST_OK) return refusal("kdf", answer, &outcome);
  if (derived.handle.count != sizeof secret->handle) return CKR_DEVICE_ERROR;
  memcpy(secret->handle, derived.handle.data, sizeof secret->handle);
  return CKR_OK;
}

static CK_RV read_agreement(const CK_MECHANISM *asked, CK_ULONG bits, CK_ECDH1_DERIVE_PARAMS *parameters, struct kist_bytes *point) {
  if (!asked->pParameter || asked->ulParameterLen != sizeof *parameters) return CKR_MECHANISM_PARAM_INVALID;
  memcpy(parameters, asked->pParameter, sizeof *parameters);
  if (!parameters->pPublicData || (!parameters->pSharedData && parameters->ulSharedDataLen)) return CKR_MECHANISM_PARAM_INVALID;
  // It would be Z, which never leaves: as a mechanism, it is not there.
  if (parameters->kdf == CKD_NULL) return CKR_MECHANISM_INVALID;
  if (!derivation_of(parameters->kdf) || parameters->ulSharedDataLen > 1024) return CKR_MECHANISM_PARAM_INVALID;
  *point = point_of(parameters, bits);
  return point->count ? CKR_OK : CKR_MECHANISM_PARAM_INVALID;
}

CK_RV C_DeriveKey(CK_SESSION_HANDLE handle, CK_MECHANISM *asked, CK_OBJECT_HANDLE base, CK_ATTRIBUTE *template, unsigned long count, CK_OBJECT_HANDLE *key) {
  struct secret secret, from;
  enum kind kind;
  CK_ECDH1_DERIVE_PARAMS parameters;
  struct kist_bytes point;
  CK_RV result = source(handle, base, asked, CKF_DERIVE, &from, &kind);
  if (result == CKR_OK && !key) result = CKR_ARGUMENTS_BAD;
  if (result == CKR_OK) result = read_agreement(asked, kind == KIND_P256 ? 256 : 384, &parameters, &point);
  if (result == CKR_OK) result = read_template(template, count, &secret);
  if (result != CKR_OK) return result;
  if (!secret.size) return CKR_TEMPLATE_INCOMPLETE;
  if (!is_size(secret.type, secret.size)) return CKR_ATTRIBUTE_VALUE_INVALID;
  memcpy(secret.key, from.key, sizeof secret.key);
  result = connection_for(handle, &secret.connection);
  if (result != CKR_OK) return result;
  result = agree(&secret, &parameters, point);
  if (result == CKR_OK) return install(handle, &secret, key);
  connection_release(secret.connection);
  return result;
}

/* Unwrapping */

/* kistd's OAEP: SHA-256 twice, and no label. */
static bool is_oaep(const CK_MECHANISM *asked) {
  CK_RSA_PKCS_OAEP_PARAMS parameters;
  if (!asked->pParameter || asked->ulParameterLen != sizeof parameters) return false;
  memcpy(&parameters, asked->pParameter, sizeof parameters);
  return parameters.hashAlg == CKM_SHA256 && parameters.mgf == CKG_MGF1_SHA256 && !parameters.ulSourceDataLen;
}

static CK_RV unwrap(struct secret *secret, const uint8_t *wrapped, CK_ULONG count) {
  uint8_t room[256];
  struct kist_outcome outcome;
  struct kist_unwrap_request request = {.wrapped_key = {wrapped, count}};
  struct kist_unwrap_reply reply;
  enum kist_result answer = kist_unwrap(secret->connection->kist, secret->key, &request, &reply, KIST_ROOM(room), &outcome);
  if (answer == KIST_REJECTED) return CKR_WRAPPED_KEY_INVALID;
  if (answer != KIST_OK) return refusal("unwrap", answer, &outcome);
  if (reply.handle.count != sizeof secret->handle) return CKR_DEVICE_ERROR;
  memcpy(secret->handle, reply.handle.data, sizeof secret->handle);
  return CKR_OK;
}

CK_RV C_UnwrapKey(CK_SESSION_HANDLE handle, CK_MECHANISM *asked, CK_OBJECT_HANDLE unwrapping, unsigned char *wrapped, unsigned long wrapped_count,
                  CK_ATTRIBUTE *template, unsigned long count, CK_OBJECT_HANDLE *key) {
  struct secret secret, from;
  enum kind kind;
  CK_RV result = source(handle, unwrapping, asked, CKF_UNWRAP, &from, &kind);
  if (result == CKR_OK && (!key || !wrapped)) result = CKR_ARGUMENTS_BAD;
  if (result == CKR_OK && !is_oaep(asked)) result = CKR_MECHANISM_PARAM_INVALID;
  if (result == CKR_OK) result = read_template(template, count, &secret);
  if (result != CKR_OK) return result;
  // §6.1.8: the wrapped bytes say how long the key is.
  if (secret.size) return CKR_TEMPLATE_INCONSISTENT;
  if (!wrapped_count || wrapped_count > SIGNATURE_MOST) return CKR_WRAPPED_KEY_LEN_RANGE;
  memcpy(secret.key, from.key, sizeof secret.key);
  result = connection_for(handle, &secret.connection);
  if (result != CKR_OK) return result;
  result = unwrap(&secret, wrapped, wrapped_count);
  if (result == CKR_OK) return install(handle, &secret, key);
  connection_release(secret.connection);
  return result;
}

/* An object that is there, but cannot be changed, copied or destroyed. */
static CK_RV prohibited(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, CK_RV otherwise) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  struct object object;
  result = !session ? CKR_SESSION_HANDLE_INVALID : object_of(slot_of(session->slot + 1), number, &object) ? otherwise : CKR_OBJECT_HANDLE_INVALID;
  module_unlock();
  return result;
}

CK_RV C_DestroyObject(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
  struct secret *gone = NULL;
  for (size_t at = 0; slot && !gone && at < slot->secrets_count; at++) {
    if (slot->secrets[at]->object != number) continue;
    gone = slot->secrets[at];
    slot->secrets[at] = slot->secrets[--slot->secrets_count];
  }
  module_unlock();
  if (!gone) return prohibited(handle, number, CKR_ACTION_PROHIBITED);
  let_go(gone);
  return CKR_OK;
}

CK_RV C_CopyObject(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, CK_ATTRIBUTE *template, unsigned long count, CK_OBJECT_HANDLE *copy) {
  (void)copy;
  CK_RV result = prohibited(handle, number, CKR_ACTION_PROHIBITED);
  return result != CKR_ACTION_PROHIBITED || template_is_sound(template, count) ? result : CKR_ARGUMENTS_BAD;
}

CK_RV C_SetAttributeValue(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, CK_ATTRIBUTE *template, unsigned long count) {
  CK_RV result = prohibited(handle, number, CKR_ACTION_PROHIBITED);
  return result != CKR_ACTION_PROHIBITED || template_is_sound(template, count) ? result : CKR_ARGUMENTS_BAD;
}

CK_RV C_GetObjectSize(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, unsigned long *size) {
  CK_RV result = prohibited(handle, number, CKR_OK);
  if (result != CKR_OK) return result;
  if (!size) return CKR_ARGUMENTS_BAD;
  *size = CK_UNAVAILABLE_INFORMATION;
  return CKR_OK;
}
