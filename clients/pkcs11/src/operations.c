/*
 * Signatures, codes, their checks, and digests (§5.12, §5.13, §5.15). An operation is taken out of its session while kistd is asked, and ends with
 * every answer but a length and CKR_BUFFER_TOO_SMALL. A length never asks kistd.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Beginning */

static enum hash hash_of(CK_MECHANISM_TYPE type) {
  return type == CKM_SHA256 ? HASH_SHA256 : type == CKM_SHA384 ? HASH_SHA384 : type == CKM_SHA512 ? HASH_SHA512 : HASH_NONE;
}

/* kistd's PSS: MGF1 of the same hash, and a salt as long as the digest. */
static bool read_pss(const CK_MECHANISM *asked, enum hash expected, enum hash *hash) {
  static const CK_RSA_PKCS_MGF_TYPE masks[] = {0, CKG_MGF1_SHA256, CKG_MGF1_SHA384, CKG_MGF1_SHA512};
  CK_RSA_PKCS_PSS_PARAMS parameters;
  if (!asked->pParameter || asked->ulParameterLen != sizeof parameters) return false;
  memcpy(&parameters, asked->pParameter, sizeof parameters);
  *hash = hash_of(parameters.hashAlg);
  if (*hash == HASH_NONE || (expected != HASH_NONE && expected != *hash)) return false;
  return parameters.mgf == masks[*hash] && parameters.sLen == hash_size(*hash);
}

static bool read_parameters(const struct mechanism *mechanism, const CK_MECHANISM *asked, enum hash *hash) {
  *hash = mechanism->hash;
  if (mechanism->is_pss) return read_pss(asked, mechanism->hash, hash);
  return asked->ulParameterLen == 0;
}

static CK_RV judge_key(const struct object *object, const struct mechanism *mechanism, enum purpose purpose) {
  if (object->part == PART_CERTIFICATE) return CKR_KEY_HANDLE_INVALID;
  if (!mechanism_takes(mechanism, object_kind(object))) return CKR_KEY_TYPE_INCONSISTENT;
  struct value value;
  object_value(object, purpose == PURPOSE_VERIFY ? CKA_VERIFY : CKA_SIGN, &value);
  return value.scratch.flag ? CKR_OK : CKR_KEY_FUNCTION_NOT_PERMITTED;
}

static void fill_operation(struct operation *operation, const struct object *object, const struct mechanism *mechanism, enum hash hash) {
  *operation = (struct operation){
    .state = OPERATION_READY, .mechanism = mechanism, .hash = hash, .kind = object_kind(object)};
  if (object->secret) {
    operation->has_handle = true;
    memcpy(operation->key, object->secret->key, sizeof operation->key);
    memcpy(operation->handle, object->secret->handle, sizeof operation->handle);
    operation->connection = connection_retain(object->secret->connection);
  } else {
    operation->bits = object->key->bits;
    memcpy(operation->key, object->key->id, sizeof operation->key);
  }
  if (mechanism->input == INPUT_HASHED) hash_begin(&operation->hashing, mechanism->hash);
}

static CK_RV begin_digest(struct operation *operation, const struct mechanism *mechanism, const CK_MECHANISM *asked) {
  if (asked->ulParameterLen) return CKR_MECHANISM_PARAM_INVALID;
  *operation = (struct operation){.state = OPERATION_READY, .mechanism = mechanism};
  hash_begin(&operation->hashing, mechanism->hash);
  return CKR_OK;
}

static CK_RV begin(struct session *session, struct operation *operation, const CK_MECHANISM *asked, CK_OBJECT_HANDLE key, enum purpose purpose) {
  if (!asked) {
    // v3.0: no mechanism ends what is under way.
    if (operation->state == OPERATION_NONE) return CKR_ARGUMENTS_BAD;
    if (operation->state == OPERATION_TAKEN) return CKR_OPERATION_CANCEL_FAILED;
    operation_end(operation);
    return CKR_OK;
  }
  if (operation->state != OPERATION_NONE) return CKR_OPERATION_ACTIVE;
  const struct mechanism *mechanism = mechanism_of(asked->mechanism);
  if (!mechanism || !(mechanism->flags & (purpose == PURPOSE_DIGEST ? CKF_DIGEST : CKF_SIGN))) return CKR_MECHANISM_INVALID;
  if (purpose == PURPOSE_DIGEST) return begin_digest(operation, mechanism, asked);
  struct object object;
  enum hash hash;
  if (!object_of(slot_of(session->slot + 1), key, &object)) return CKR_KEY_HANDLE_INVALID;
  CK_RV result = judge_key(&object, mechanism, purpose);
  if (result != CKR_OK) return result;
  if (!read_parameters(mechanism, asked, &hash)) return CKR_MECHANISM_PARAM_INVALID;
  fill_operation(operation, &object, mechanism, hash);
  return CKR_OK;
}

static CK_RV init(CK_SESSION_HANDLE handle, const CK_MECHANISM *asked, CK_OBJECT_HANDLE key, enum purpose purpose) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  result = session ? begin(session, &session->operations[purpose], asked, key, purpose) : CKR_SESSION_HANDLE_INVALID;
  module_unlock();
  return result;
}

/* Taking an operation out, and putting it back */

static CK_RV take(CK_SESSION_HANDLE handle, enum purpose purpose, struct operation **place) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  if (session) {
    *place = &session->operations[purpose];
    result = (*place)->state == OPERATION_READY ? CKR_OK : (*place)->state == OPERATION_NONE ? CKR_OPERATION_NOT_INITIALIZED : CKR_OPERATION_ACTIVE;
  } else {
    result = CKR_SESSION_HANDLE_INVALID;
  }
  if (result != CKR_OK) module_unlock();
  return result;
}

static void move_out(struct operation *place, struct operation *taken) {
  *taken = *place;
  *place = (struct operation){.state = OPERATION_TAKEN};
}

/* Back into its session if it goes on and the session is still there. */
static void put_back(CK_SESSION_HANDLE handle, enum purpose purpose, struct operation *taken, bool goes_on) {
  if (module_lock() == CKR_OK) {
    struct session *session = session_of(handle);
    struct operation *place = session ? &session->operations[purpose] : NULL;
    if (place && place->state == OPERATION_TAKEN) {
      *place = goes_on ? *taken : (struct operation){0};
      if (goes_on) *taken = (struct operation){0};
    }
    module_unlock();
  }
  operation_end(taken);
}

/* Messages */

static CK_RV add(struct operation *operation, const uint8_t *data, size_t count) {
  if (!count) return CKR_OK;
  if (operation->mechanism->input == INPUT_HASHED) return hash_add(&operation->hashing, data, count), CKR_OK;
  if (count > MESSAGE_MOST - operation->count) return CKR_DATA_LEN_RANGE;
  uint8_t *message = realloc(operation->message, operation->count + count);
  if (!message) return CKR_HOST_MEMORY;
  memcpy(message + operation->count, data, count);
  operation->message = message;
  operation->count += count;
  return CKR_OK;
}

/* Steps */

static CK_RV update(CK_SESSION_HANDLE handle, const uint8_t *data, CK_ULONG count, enum purpose purpose) {
  struct operation *place, taken;
  CK_RV result = take(handle, purpose, &place);
  if (result != CKR_OK) return result;
  bool is_wrong = place->is_whole;
  move_out(place, &taken);
  module_unlock();
  result = is_wrong ? CKR_OPERATION_ACTIVE : data || !count ? add(&taken, data, count) : CKR_ARGUMENTS_BAD;
  taken.has_parts = true;
  put_back(handle, purpose, &taken, result == CKR_OK);
  return result;
}

/* A whole message in one call; what was added before is there already. */
static CK_RV complete(struct operation *operation, const uint8_t *data, CK_ULONG count, struct kist_bytes *message) {
  if (!data && count) return CKR_ARGUMENTS_BAD;
  if (operation->mechanism->input == INPUT_HASHED) return add(operation, data, count);
  if (count > MESSAGE_MOST) return CKR_DATA_LEN_RANGE;
  *message = operation->has_parts ? (struct kist_bytes){operation->message, operation->count} : (struct kist_bytes){data, count};
  return CKR_OK;
}

static CK_RV connect_operation(CK_SESSION_HANDLE handle, struct operation *operation) {
  return operation->connection ? CKR_OK : connection_for(handle, &operation->connection);
}

static size_t digest(struct operation *operation, uint8_t *out) {
  uint8_t room[64];
  size_t size = hash_end(&operation->hashing, room);
  memcpy(out, room, size);
  return size;
}

/* `is_final` is whether parts came before, and nothing comes with it. */
static CK_RV produce(CK_SESSION_HANDLE handle, enum purpose purpose, const uint8_t *data, CK_ULONG data_count, uint8_t *out, CK_ULONG *count,
                  bool is_final) {
  struct operation *place, taken;
  CK_RV result = take(handle, purpose, &place);
  if (result != CKR_OK) return result;
  size_t size = signature_size(place);
  bool is_wrong = is_final ? place->is_whole : place->has_parts;
  if (!is_wrong && count && (!out || *count < size)) {
    place->is_whole = !is_final;
    *count = size;
    module_unlock();
    return out ? CKR_BUFFER_TOO_SMALL : CKR_OK;
  }
  move_out(place, &taken);
  module_unlock();
  struct kist_bytes message = {0};
  result = is_wrong ? CKR_OPERATION_ACTIVE : !count ? CKR_ARGUMENTS_BAD : complete(&taken, data, data_count, &message);
  if (result == CKR_OK && purpose == PURPOSE_SIGN) result = connect_operation(handle, &taken);
  if (result == CKR_OK && purpose == PURPOSE_SIGN) result = signature_make(&taken, message, out, count);
  if (result == CKR_OK && purpose == PURPOSE_DIGEST) *count = digest(&taken, out);
  put_back(handle, purpose, &taken, false);
  return result;
}

static CK_RV verify(CK_SESSION_HANDLE handle, const uint8_t *data, CK_ULONG data_count, const uint8_t *signature, CK_ULONG count, bool is_final) {
  struct operation *place, taken;
  CK_RV result = take(handle, PURPOSE_VERIFY, &place);
  if (result != CKR_OK) return result;
  bool is_wrong = place->has_parts && !is_final;
  move_out(place, &taken);
  module_unlock();
  struct kist_bytes message = {0};
  if (is_wrong) result = CKR_OPERATION_ACTIVE;
  else if (!signature) result = CKR_ARGUMENTS_BAD;
  else if (count != signature_size(&taken)) result = CKR_SIGNATURE_LEN_RANGE;
  else result = complete(&taken, data, data_count, &message);
  if (result == CKR_OK) result = connect_operation(handle, &taken);
  if (result == CKR_OK) result = signature_check(&taken, message, signature, count);
  put_back(handle, PURPOSE_VERIFY, &taken, false);
  return result;
}

CK_RV C_SignInit(CK_SESSION_HANDLE handle, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) { return init(handle, mechanism, key, PURPOSE_SIGN); }

CK_RV C_Sign(CK_SESSION_HANDLE handle, unsigned char *data, unsigned long data_count, unsigned char *signature, unsigned long *count) {
  return produce(handle, PURPOSE_SIGN, data, data_count, signature, count, false);
}

CK_RV C_SignUpdate(CK_SESSION_HANDLE handle, unsigned char *part, unsigned long count) { return update(handle, part, count, PURPOSE_SIGN); }

CK_RV C_SignFinal(CK_SESSION_HANDLE handle, unsigned char *signature, unsigned long *count) {
  return produce(handle, PURPOSE_SIGN, NULL, 0, signature, count, true);
}

CK_RV C_VerifyInit(CK_SESSION_HANDLE handle, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) { return init(handle, mechanism, key, PURPOSE_VERIFY); }

CK_RV C_Verify(CK_SESSION_HANDLE handle, unsigned char *data, unsigned long data_count, unsigned char *signature, unsigned long count) {
  return verify(handle, data, data_count, signature, count, false);
}

CK_RV C_VerifyUpdate(CK_SESSION_HANDLE handle, unsigned char *part, unsigned long count) { return update(handle, part, count, PURPOSE_VERIFY); }

CK_RV C_VerifyFinal(CK_SESSION_HANDLE handle, unsigned char *signature, unsigned long count) { return verify(handle, NULL, 0, signature, count, true); }

CK_RV C_DigestInit(CK_SESSION_HANDLE handle, CK_MECHANISM *mechanism) { return init(handle, mechanism, CK_INVALID_HANDLE, PURPOSE_DIGEST); }

CK_RV C_Digest(CK_SESSION_HANDLE handle, unsigned char *data, unsigned long data_count, unsigned char *out, unsigned long *count) {
  return produce(handle, PURPOSE_DIGEST, data, data_count, out, count, false);
}

CK_RV C_DigestUpdate(CK_SESSION_HANDLE handle, unsigned char *part, unsigned long count) { return update(handle, part, count, PURPOSE_DIGEST); }

CK_RV C_DigestFinal(CK_SESSION_HANDLE handle, unsigned char *out, unsigned long *count) {
  return produce(handle, PURPOSE_DIGEST, NULL, 0, out, count, true);
}

/* A key's bytes are not here. */
CK_RV C_DigestKey(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE key) {
  struct operation *place;
  CK_RV result = take(handle, PURPOSE_DIGEST, &place);
  if (result != CKR_OK) return result;
  struct object object;
  bool is_key = object_of(slot_of(session_of(handle)->slot + 1), key, &object) &&
                object.part != PART_CERTIFICATE;
  operation_end(place);
  module_unlock();
  return is_key ? CKR_KEY_INDIGESTIBLE : CKR_KEY_HANDLE_INVALID;
}
