/* How objects are found (§5.7), and their attributes read (§5.7.5). */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Whether a listing says it; everything else is in the key's description. */
static bool is_listed_attribute(CK_ATTRIBUTE_TYPE type) {
  switch (type) {
  case CKA_MODULUS:
  case CKA_PUBLIC_EXPONENT:
  case CKA_EC_PARAMS:
  case CKA_EC_POINT:
  case CKA_PUBLIC_KEY_INFO:
  case CKA_SUBJECT:
  case CKA_ISSUER:
  case CKA_SERIAL_NUMBER:
  case CKA_VALUE: return false;
  default: return true;
  }
}

/* Templates */

bool template_is_sound(const CK_ATTRIBUTE *template, CK_ULONG count) {
  if (count > TEMPLATE_MOST || (!template && count)) return false;
  for (CK_ULONG at = 0; at < count; at++)
    if (!template[at].pValue && template[at].ulValueLen) return false;
  return true;
}

const CK_ATTRIBUTE *template_find(const CK_ATTRIBUTE *template, CK_ULONG count, CK_ATTRIBUTE_TYPE type) {
  for (CK_ULONG at = 0; at < count; at++)
    if (template[at].type == type) return &template[at];
  return NULL;
}

bool template_number(const CK_ATTRIBUTE *attribute, CK_ULONG *number) {
  if (attribute->ulValueLen != sizeof *number) return false;
  memcpy(number, attribute->pValue, sizeof *number);
  return true;
}

/* C_GetAttributeValue */

static bool is_this_key(const struct key *key, const void *id) { return !memcmp(key->id, id, sizeof key->id); }

/* Every attribute gets its answer, and the worst of them is the call's. */
static CK_RV fill(const struct object *object, CK_ATTRIBUTE *template, CK_ULONG count) {
  CK_RV result = CKR_OK;
  for (CK_ULONG at = 0; at < count; at++) {
    struct value value;
    object_value(object, template[at].type, &value);
    CK_ULONG room = template[at].ulValueLen;
    template[at].ulValueLen = CK_UNAVAILABLE_INFORMATION;
    if (value.state == VALUE_SECRET) {
      result = CKR_ATTRIBUTE_SENSITIVE;
    } else if (value.state == VALUE_UNKNOWN) {
      result = CKR_ATTRIBUTE_TYPE_INVALID;
    } else if (template[at].pValue && room < value.count) {
      result = CKR_BUFFER_TOO_SMALL;
    } else {
      template[at].ulValueLen = value.count;
      if (template[at].pValue && value.count) memcpy(template[at].pValue, value.data, value.count);
    }
  }
  return result;
}

/* The key whose description is missing for these attributes, or NULL. */
static const struct key *undescribed(const struct object *object, const CK_ATTRIBUTE *template, CK_ULONG count) {
  if (!object->key || object->key->is_described) return NULL;
  for (CK_ULONG at = 0; at < count; at++)
    if (!is_listed_attribute(template[at].type)) return object->key;
  return NULL;
}

CK_RV C_GetAttributeValue(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE number, CK_ATTRIBUTE *template, unsigned long count) {
  // Another thread may list keys between a description and its use; not three times.
  for (int attempt = 0;; attempt++) {
    uint8_t id[KIST_KEY_ID_SIZE];
    CK_RV result = module_lock();
    if (result != CKR_OK) return result;
    struct session *session = session_of(handle);
    struct object object;
    bool is_missing = false;
    if (!session) {
      result = CKR_SESSION_HANDLE_INVALID;
    } else if (!object_of(slot_of(session->slot + 1), number, &object)) {
      result = CKR_OBJECT_HANDLE_INVALID;
    } else if ((!template && count) || count > TEMPLATE_MOST) {
      result = CKR_ARGUMENTS_BAD;
    } else {
      const struct key *missing = attempt < 3 ? undescribed(&object, template, count) : NULL;
      is_missing = missing;
      if (missing) memcpy(id, missing->id, sizeof id);
      else result = fill(&object, template, count);
    }
    module_unlock();
    if (!is_missing) return result;
    result = keys_describe(handle, is_this_key, id);
    if (result != CKR_OK) return result;
  }
}

/* Finding */

struct search {
  CK_ATTRIBUTE *template;
  CK_ULONG count;
};

/* A template of our own, since the caller's may change while kistd is asked. */
static bool copy_template(struct search *search, const CK_ATTRIBUTE *template, CK_ULONG count) {
  *search = (struct search){calloc(count + 1, sizeof *template), count};
  if (!search->template) return false;
  for (CK_ULONG at = 0; at < count; at++) {
    search->template[at] = (CK_ATTRIBUTE){template[at].type, NULL, template[at].ulValueLen};
    // Nothing that is searched for is longer.
    if (template[at].ulValueLen > MESSAGE_MOST) continue;
    if (!(search->template[at].pValue = malloc(template[at].ulValueLen + 1))) return false;
    if (template[at].ulValueLen) memcpy(search->template[at].pValue, template[at].pValue, template[at].ulValueLen);
  }
  return true;
}

static void free_template(struct search *search) {
  for (CK_ULONG at = 0; search->template && at < search->count; at++) free(search->template[at].pValue);
  free(search->template);
}

static bool matches(const struct object *object, const struct search *search, bool only_listed) {
  for (CK_ULONG at = 0; at < search->count; at++) {
    const CK_ATTRIBUTE *wanted = &search->template[at];
    if (only_listed && !is_listed_attribute(wanted->type)) continue;
    struct value value;
    object_value(object, wanted->type, &value);
    if (value.state != VALUE_THERE || value.count != wanted->ulValueLen) return false;
    if (!wanted->pValue || (value.count && memcmp(value.data, wanted->pValue, value.count))) return false;
  }
  return true;
}

/* Whether the key's description decides if one of its objects is found; a certificate's existence is a matter of it, too. */
static bool is_undecided(const struct key *key, const void *context) {
  const struct search *search = context;
  bool is_asked = false;
  for (CK_ULONG at = 0; at < search->count; at++) is_asked |= !is_listed_attribute(search->template[at].type);
  for (enum part part = PART_PRIVATE; part <= PART_CERTIFICATE; part++) {
    if (part == PART_CERTIFICATE ? kind_is_secret(key->kind) : !is_asked || !key_has_part(key, part)) continue;
    if (matches(&(struct object){part, key, NULL}, search, true)) return true;
  }
  return false;
}

static CK_RV collect(struct session *session, const struct search *search) {
  struct slot *slot = slot_of(session->slot + 1);
  CK_OBJECT_HANDLE *found = calloc(slot->keys_count * PARTS + slot->secrets_count + 1, sizeof *found);
  if (!found) return CKR_HOST_MEMORY;
  size_t count = 0;
  for (size_t at = 0; at < slot->keys_count; at++) {
    for (enum part part = PART_PRIVATE; part <= PART_CERTIFICATE; part++) {
      struct object object = {part, slot->keys[at], NULL};
      if (key_has_part(object.key, part) && matches(&object, search, false)) found[count++] = object_handle(at, part);
    }
  }
  for (size_t at = 0; at < slot->secrets_count; at++)
    if (matches(&(struct object){PART_SECRET, NULL, slot->secrets[at]}, search, false)) found[count++] = slot->secrets[at]->object;
  free(session->found);
  session->found = found;
  session->found_count = count;
  session->found_next = 0;
  return CKR_OK;
}

static CK_RV begin_search(CK_SESSION_HANDLE handle, const struct search *search) {
  CK_RV result = keys_refresh(handle);
  if (result == CKR_OK) result = keys_describe(handle, is_undecided, search);
  if (result != CKR_OK) return result;
  result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  result = !session ? CKR_SESSION_HANDLE_INVALID : session->found ? CKR_OPERATION_ACTIVE : collect(session, search);
  module_unlock();
  return result;
}

CK_RV C_FindObjectsInit(CK_SESSION_HANDLE handle, CK_ATTRIBUTE *template, unsigned long count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  const struct session *session = session_of(handle);
  if (!session) result = CKR_SESSION_HANDLE_INVALID;
  else if (session->found) result = CKR_OPERATION_ACTIVE;
  else if (!template_is_sound(template, count)) result = CKR_ARGUMENTS_BAD;
  module_unlock();
  if (result != CKR_OK) return result;
  struct search search;
  result = copy_template(&search, template, count) ? begin_search(handle, &search) : CKR_HOST_MEMORY;
  free_template(&search);
  return result;
}

CK_RV C_FindObjects(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE *objects, unsigned long most, unsigned long *count) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  if (!session) {
    result = CKR_SESSION_HANDLE_INVALID;
  } else if (!session->found) {
    result = CKR_OPERATION_NOT_INITIALIZED;
  } else if (!count || (!objects && most)) {
    result = CKR_ARGUMENTS_BAD;
  } else {
    size_t left = session->found_count - session->found_next;
    *count = left < most ? left : most;
    if (*count) memcpy(objects, session->found + session->found_next, *count * sizeof *objects);
    session->found_next += *count;
  }
  module_unlock();
  return result;
}

CK_RV C_FindObjectsFinal(CK_SESSION_HANDLE handle) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  if (!session) result = CKR_SESSION_HANDLE_INVALID;
  else if (!session->found) result = CKR_OPERATION_NOT_INITIALIZED;
  else free(session->found), session->found = NULL;
  module_unlock();
  return result;
}
