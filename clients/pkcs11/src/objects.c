/* Objects: what a key is to PKCS#11, attribute by attribute. */
#include "module.h"

#include <stdio.h>
#include <string.h>

/* A key's three objects, by its place in the slot's table; a secret's handle begins above all of these. */
#define SECRETS 0x40000000UL

CK_OBJECT_HANDLE object_handle(size_t key, enum part part) { return key * PARTS + (CK_OBJECT_HANDLE)part + 1; }

bool kind_is_secret(enum kind kind) { return kind == KIND_HMAC256 || kind == KIND_HMAC384 || kind == KIND_HMAC512 || kind == KIND_AES; }

bool key_has_part(const struct key *key, enum part part) {
  if (!key->is_listed) return false;
  switch (part) {
  case PART_PRIVATE: return key->uses != 0;
  case PART_PUBLIC: return !kind_is_secret(key->kind);
  case PART_CERTIFICATE: return key->description.certificate.count != 0;
  case PART_SECRET: return false;
  }
  return false;
}

bool object_of(const struct slot *slot, CK_OBJECT_HANDLE handle, struct object *object) {
  *object = (struct object){0};
  if (handle >= SECRETS) {
    for (size_t at = 0; at < slot->secrets_count; at++)
      if (slot->secrets[at]->object == handle) *object = (struct object){PART_SECRET, NULL, slot->secrets[at]};
    return object->secret;
  }
  if (handle == CK_INVALID_HANDLE || (handle - 1) / PARTS >= slot->keys_count) return false;
  *object = (struct object){(enum part)((handle - 1) % PARTS), slot->keys[(handle - 1) / PARTS], NULL};
  // A certificate that was found stays until its key goes: whether it is still there is not known before the next description.
  return object->part == PART_CERTIFICATE ? object->key->is_listed : key_has_part(object->key, object->part);
}

/* Values; what sets one says true, for "that was the attribute". */

static bool set(struct value *value, const void *data, size_t count) {
  value->state = VALUE_THERE;
  value->data = data;
  value->count = count;
  return true;
}

static bool set_flag(struct value *value, bool flag) {
  value->scratch.flag = flag ? CK_TRUE : CK_FALSE;
  return set(value, &value->scratch.flag, sizeof value->scratch.flag);
}

static bool set_number(struct value *value, CK_ULONG number) {
  value->scratch.number = number;
  return set(value, &value->scratch.number, sizeof value->scratch.number);
}

static bool set_span(struct value *value, struct span span) {
  return !span.count || set(value, span.data, span.count);
}

static CK_KEY_TYPE key_type(enum kind kind) {
  switch (kind) {
  case KIND_P256:
  case KIND_P384: return CKK_EC;
  case KIND_ED25519: return CKK_EC_EDWARDS;
  case KIND_RSA: return CKK_RSA;
  case KIND_AES: return CKK_AES;
  // §6.22 has types for one hash each, which hardly any program knows; CKA_ALLOWED_MECHANISMS says which hash it is.
  case KIND_HMAC256:
  case KIND_HMAC384:
  case KIND_HMAC512:
  case KIND_NONE:
  case KIND_SECRET: return CKK_GENERIC_SECRET;
  }
  return CKK_GENERIC_SECRET;
}

/* §6.9 to §6.13: a code's key is of its own type; a generic secret is for every HMAC. */
static enum kind secret_kind(CK_KEY_TYPE type) {
  switch (type) {
  case CKK_AES: return KIND_AES;
  case CKK_SHA256_HMAC: return KIND_HMAC256;
  case CKK_SHA384_HMAC: return KIND_HMAC384;
  case CKK_SHA512_HMAC: return KIND_HMAC512;
  default: return KIND_SECRET;
  }
}

enum kind object_kind(const struct object *object) {
  return object->secret ? secret_kind(object->secret->type) : object->key->kind;
}

static CK_OBJECT_CLASS class_of(const struct object *object) {
  switch (object->part) {
  case PART_PRIVATE: return kind_is_secret(object->key->kind) ? CKO_SECRET_KEY : CKO_PRIVATE_KEY;
  case PART_PUBLIC: return CKO_PUBLIC_KEY;
  case PART_CERTIFICATE: return CKO_CERTIFICATE;
  case PART_SECRET: return CKO_SECRET_KEY;
  }
  return CKO_DATA;
}

/* Of a key, its id and which of its objects it is; a secret's handle is given only once, too. */
static bool set_unique_id(struct value *value, const struct object *object) {
  char *text = (char *)value->scratch.bytes;
  size_t room = sizeof value->scratch.bytes, count = 0;
  if (object->secret) return set(value, text, (size_t)snprintf(text, room, "%lu", object->secret->object));
  for (size_t at = 0; at < sizeof object->key->id; at++)
    count += (size_t)snprintf(text + count, room - count, "%02x", object->key->id[at]);
  return set(value, text, count + (size_t)snprintf(text + count, room - count, "-%d", object->part));
}

/* What the object says of all that has to do with no kind of its own; false if the attribute is another. */
static bool common_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value) {
  const struct secret *secret = object->secret;
  switch (type) {
  case CKA_CLASS: return set_number(value, class_of(object));
  case CKA_UNIQUE_ID: return set_unique_id(value, object);
  case CKA_TOKEN: return set_flag(value, !secret);
  // Nobody has to log in to find it.
  case CKA_PRIVATE:
  case CKA_MODIFIABLE:
  case CKA_COPYABLE: return set_flag(value, false);
  case CKA_DESTROYABLE: return set_flag(value, secret);
  case CKA_LABEL:
    if (secret) return set(value, secret->label, secret->label_count);
    return set(value, object->key->label, strlen(object->key->label));
  case CKA_ID:
    if (secret) return set(value, secret->id, secret->id_count);
    return set(value, object->key->id, sizeof object->key->id);
  default: return false;
  }
}

/* §4.10 dates: there are none, and then they are empty. */
static bool is_date(CK_ATTRIBUTE_TYPE type) { return type == CKA_START_DATE || type == CKA_END_DATE; }

static bool certificate_value(const struct description *described, CK_ATTRIBUTE_TYPE type, struct value *value) {
  switch (type) {
  case CKA_CERTIFICATE_TYPE: return set_number(value, CKC_X_509);
  case CKA_CERTIFICATE_CATEGORY: return set_number(value, 0);
  case CKA_TRUSTED: return set_flag(value, false);
  case CKA_VALUE: return set_span(value, described->certificate);
  case CKA_SUBJECT: return set_span(value, described->subject);
  case CKA_ISSUER: return set_span(value, described->issuer);
  case CKA_SERIAL_NUMBER: return set_span(value, described->serial);
  case CKA_PUBLIC_KEY_INFO: return set_span(value, described->public_key);
  default: return is_date(type) && set(value, "", 0);
  }
}

/* A point as PKCS#11 has it: an OCTET STRING in DER. */
static bool set_point(struct value *value, struct span point) {
  if (!point.count || point.count > 127) return true;
  value->scratch.bytes[0] = 0x04;
  value->scratch.bytes[1] = (uint8_t)point.count;
  memcpy(value->scratch.bytes + 2, point.data, point.count);
  return set(value, value->scratch.bytes, point.count + 2);
}

static bool set_allowed(struct value *value, enum kind kind, unsigned uses) {
  size_t count = 0;
  for (size_t at = 0; at < mechanisms_count; at++)
    if (mechanism_serves(&mechanisms[at], kind, uses)) value->scratch.list[count++] = mechanisms[at].type;
  return set(value, value->scratch.list, count * sizeof *value->scratch.list);
}

/* What all keys have, secret or not; false if the attribute is another. */
static bool key_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value) {
  const struct secret *secret = object->secret;
  bool is_public = object->part == PART_PUBLIC, is_secret = class_of(object) == CKO_SECRET_KEY;
  unsigned uses = !secret ? object->key->uses : (secret->signs ? USE_MAC : 0U) | (secret->verifies ? USE_VERIFY_MAC : 0U);
  enum kind kind = object_kind(object);
  switch (type) {
  case CKA_KEY_TYPE: return set_number(value, secret ? secret->type : key_type(kind));
  case CKA_DERIVE: return set_flag(value, !is_public && uses & USE_DERIVE);
  case CKA_LOCAL: return set_flag(value, false);
  case CKA_KEY_GEN_MECHANISM: return set_number(value, CK_UNAVAILABLE_INFORMATION);
  case CKA_SIGN: return set_flag(value, !is_public && uses & (USE_SIGN | USE_MAC));
  case CKA_VERIFY: return set_flag(value, (is_public && uses & USE_VERIFY) || (is_secret && uses & USE_VERIFY_MAC));
  case CKA_UNWRAP: return set_flag(value, !is_public && uses & USE_UNWRAP);
  case CKA_ENCRYPT:
  case CKA_DECRYPT:
  case CKA_WRAP:
  case CKA_SIGN_RECOVER:
  case CKA_VERIFY_RECOVER: return set_flag(value, false);
  case CKA_ALLOWED_MECHANISMS: return set_allowed(value, kind, uses);
  default: return is_date(type) && set(value, "", 0);
  }
}

/* Of a private or secret key: that it stays where it is. */
static bool guarded_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value) {
  if (object->part == PART_PUBLIC) return false;
  switch (type) {
  case CKA_SENSITIVE:
  case CKA_ALWAYS_SENSITIVE:
  case CKA_NEVER_EXTRACTABLE: return set_flag(value, true);
  case CKA_EXTRACTABLE:
  case CKA_ALWAYS_AUTHENTICATE:
  case CKA_TRUSTED:
  case CKA_WRAP_WITH_TRUSTED: return set_flag(value, false);
  case CKA_VALUE:
  case CKA_PRIVATE_EXPONENT:
  case CKA_PRIME_1:
  case CKA_PRIME_2:
  case CKA_EXPONENT_1:
  case CKA_EXPONENT_2:
  case CKA_COEFFICIENT: return value->state = VALUE_SECRET, true;
  case CKA_VALUE_LEN:
    if (object->secret && object->secret->size) return set_number(value, object->secret->size);
    return !object->secret && object->key->kind == KIND_AES && set_number(value, object->key->bits / 8);
  default: return false;
  }
}

static bool public_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value) {
  const struct description *described = &object->key->description;
  switch (type) {
  case CKA_MODULUS: return set_span(value, described->modulus);
  case CKA_PUBLIC_EXPONENT: return set_span(value, described->exponent);
  case CKA_MODULUS_BITS:
    return object->key->kind == KIND_RSA && object->part == PART_PUBLIC && set_number(value, object->key->bits);
  case CKA_EC_PARAMS: return set_span(value, described->curve);
  // The standard has it of public keys; clients ask private ones too, to know what they sign for.
  case CKA_EC_POINT: return set_point(value, described->point);
  case CKA_PUBLIC_KEY_INFO: return set_span(value, described->public_key);
  case CKA_TRUSTED: return object->part == PART_PUBLIC && set_flag(value, false);
  case CKA_SUBJECT: return set(value, described->subject.data, described->subject.count);
  default: return false;
  }
}

void object_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value) {
  value->state = VALUE_UNKNOWN;
  if (common_value(object, type, value)) return;
  if (object->part == PART_CERTIFICATE)
    (void)certificate_value(&object->key->description, type, value);
  else if (!key_value(object, type, value) && !guarded_value(object, type, value) && object->key && !kind_is_secret(object->key->kind))
    (void)public_value(object, type, value);
}

