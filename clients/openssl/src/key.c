/* Keys: the public half is an EVP_PKEY of OpenSSL's own, which answers all that is asked of it; the private half is a name. */
#include "provider.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#define SCHEME "kist:"
#define ENDPOINT ";endpoint="

/* Of a reference the label and the endpoint, in place; false if it is none. */
static bool parse(char *reference, const char **label, const char **endpoint) {
  if (strncmp(reference, SCHEME, strlen(SCHEME))) return false;
  char *option = strchr(reference, ';');
  *label = reference + strlen(SCHEME);
  *endpoint = NULL;
  if (option) {
    if (strncmp(option, ENDPOINT, strlen(ENDPOINT))) return false;
    *option = 0;
    *endpoint = option + strlen(ENDPOINT);
  }
  // A pattern would be another key as soon as a further one is made.
  return **label && !strpbrk(*label, "*?");
}

static bool ask(struct key *key, const char *label, const char *endpoint) {
  enum kist_result result = kist_open(&key->kist, endpoint, NULL);
  if (result != KIST_OK) return raise_said("%s: %s", label, kist_result_name(result)), false;
  uint8_t *room = malloc(KIST_REPLY_MOST);
  if (!room) return false;
  struct kist_buffer buffer = {room, KIST_REPLY_MOST};
  struct kist_outcome outcome = {.audit_sequence = KIST_UNAUDITED};
  struct kist_key_description description;
  result = kist_find_key(key->kist, label, key->id, buffer, &outcome);
  if (result == KIST_OK) result = kist_describe_key(key->kist, key->id, &description, buffer, &outcome);
  if (result != KIST_OK) {
    raise_refused(label, result, &outcome);
  } else {
    const unsigned char *next = description.public_key.data;
    key->public = d2i_PUBKEY_ex(NULL, &next, (long)description.public_key.count, key->provider->own, NULL);
    if (!key->public) raise_said("%s: it is no key that signs", label);
  }
  free(room);
  return key->public != NULL;
}

/* Empty, and it stays so: there is no importing of keys here. OpenSSL makes one to see that, before it compares the other way round. */
static void *key_new(void *provider) {
  struct key *key = calloc(1, sizeof *key);
  if (key) *key = (struct key){.provider = provider, .references = 1};
  return key;
}

static void close_key(struct key *key) {
  kist_close(key->kist);
  EVP_PKEY_free(key->public);
  free(key);
}

static struct key *open_reference(struct provider *provider, const char *reference) {
  char *copy = strdup(reference);
  struct key *key = key_new(provider);
  const char *label, *endpoint;
  bool is_open = false;
  if (copy && key) {
    if (!parse(copy, &label, &endpoint))
      raise_said("a reference is kist:LABEL, and may have ;endpoint=unix:/PATH after it");
    else
      is_open = ask(key, label, endpoint);
  }
  free(copy);
  if (is_open) return key;
  if (key) close_key(key);
  return NULL;
}

struct key *key_open(struct provider *provider, const char *reference) {
  int before = errno;
  struct key *key = open_reference(provider, reference);
  // Python takes any errno of loading a key for the file's.
  errno = before;
  return key;
}

struct key *key_retain(struct key *key) {
  __atomic_add_fetch(&key->references, 1, __ATOMIC_RELAXED);
  return key;
}

void key_release(struct key *key) {
  if (__atomic_sub_fetch(&key->references, 1, __ATOMIC_ACQ_REL) == 0) close_key(key);
}

/* What was decoded is handed over once: the decoder's place for it is then empty. */
static void *key_load(const void *reference, size_t size) {
  if (size != sizeof(struct key *)) return NULL;
  struct key **place = *(struct key ***)&reference, *key = *place;
  *place = NULL;
  return key;
}

static void key_free(void *key) {
  if (key) key_release(key);
}

static int key_has(const void *key, int selection) {
  (void)selection;
  return key && ((const struct key *)key)->public;
}

static int key_match(const void *one, const void *other, int selection) {
  if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR)) return 1;
  return EVP_PKEY_eq(((const struct key *)one)->public, ((const struct key *)other)->public) == 1;
}

static int key_get_params(void *key, OSSL_PARAM params[]) {
  return EVP_PKEY_get_params(((struct key *)key)->public, params);
}

/* What TLS and X.509 ask for; others are answered as well. */
static const OSSL_PARAM *key_gettable_params(void *provider) {
  (void)provider;
  static const OSSL_PARAM params[] = {
    OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL), OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL), OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0), OSSL_PARAM_END,
  };
  return params;
}

/* The public half alone; whoever wants the private one as well gets nothing, and OpenSSL then asks this provider to sign. */
static int key_export(void *key, int selection, OSSL_CALLBACK *callback, void *argument) {
  if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) return 0;
  return EVP_PKEY_export(((struct key *)key)->public, selection, callback, argument);
}

static const OSSL_PARAM *rsa_export_types(int selection) {
  static const OSSL_PARAM params[] = {OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0), OSSL_PARAM_END};
  return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? NULL : params;
}

static const OSSL_PARAM *ec_export_types(int selection) {
  static const OSSL_PARAM params[] = {
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0), OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0), OSSL_PARAM_END,
  };
  return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? NULL : params;
}

static const char *ec_operation(int operation) { return operation == OSSL_OP_SIGNATURE ? "ECDSA" : NULL; }

#define COMMON \
  {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))key_new}, {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))key_load}, \
  {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))key_free}, {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))key_has}, \
  {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))key_match}, {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))key_get_params}, \
  {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))key_gettable_params}, \
  {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))key_export}

static const OSSL_DISPATCH rsa_functions[] = {COMMON, {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))rsa_export_types}, {0, NULL}};
static const OSSL_DISPATCH ec_functions[] = {
  COMMON, {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))ec_export_types},
  {OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, (void (*)(void))ec_operation}, {0, NULL},
};

const OSSL_ALGORITHM key_managers[] = {
  {"RSA:rsaEncryption", "provider=kist", rsa_functions, "RSA keys in kistd"},
  {"EC:id-ecPublicKey", "provider=kist", ec_functions, "EC keys in kistd"},
  {NULL, NULL, NULL, NULL},
};
