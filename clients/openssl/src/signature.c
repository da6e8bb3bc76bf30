/* Signatures: the digest is made here, by OpenSSL's own code, and kistd signs it. */
#include "provider.h"

#include <digest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

struct signature {
  struct provider *provider;
  struct key *key;
  EVP_MD_CTX *digest; /* of digest-sign */
  EVP_MD *hash;
  int padding;
};

static void *signature_new(void *provider, const char *properties) {
  (void)properties;
  struct signature *signature = calloc(1, sizeof *signature);
  if (signature) *signature = (struct signature){.provider = provider, .padding = RSA_PKCS1_PADDING};
  return signature;
}

static void signature_free(void *context) {
  struct signature *signature = context;
  if (!signature) return;
  EVP_MD_CTX_free(signature->digest);
  EVP_MD_free(signature->hash);
  if (signature->key) key_release(signature->key);
  free(signature);
}

static void *signature_copy(void *context) {
  const struct signature *from = context;
  struct signature *copy = signature_new(from->provider, NULL);
  if (!copy) return NULL;
  copy->padding = from->padding;
  if (from->key) copy->key = key_retain(from->key);
  if (from->hash && EVP_MD_up_ref(from->hash)) copy->hash = from->hash;
  if (!from->digest) return copy;
  copy->digest = EVP_MD_CTX_new();
  if (copy->digest && EVP_MD_CTX_copy_ex(copy->digest, from->digest)) return copy;
  signature_free(copy);
  return NULL;
}

static int set_hash(struct signature *signature, const char *name) {
  EVP_MD *hash = EVP_MD_fetch(signature->provider->own, name, NULL);
  if (!hash) return 0;
  EVP_MD_free(signature->hash);
  signature->hash = hash;
  return 1;
}

static int set_padding(struct signature *signature, const OSSL_PARAM *param) {
  static const struct { const char *name; int padding; } names[] = {
    {OSSL_PKEY_RSA_PAD_MODE_PKCSV15, RSA_PKCS1_PADDING}, {OSSL_PKEY_RSA_PAD_MODE_PSS, RSA_PKCS1_PSS_PADDING},
  };
  int number = 0;
  for (size_t at = 0; at < sizeof names / sizeof *names; at++)
    if (param->data_type == OSSL_PARAM_UTF8_STRING ? !strcmp(param->data, names[at].name)
                                                   : OSSL_PARAM_get_int(param, &number) && number == names[at].padding)
      return signature->padding = names[at].padding, 1;
  return raise_said("a padding that kistd does not have"), 0;
}

/* kistd's salt is as long as the digest. */
static int check_salt(const struct signature *signature, const OSSL_PARAM *param) {
  int length = 0;
  if (param->data_type == OSSL_PARAM_UTF8_STRING) {
    if (!strcmp(param->data, OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST)) return 1;
    length = atoi(param->data);
  } else if (!OSSL_PARAM_get_int(param, &length)) {
    return 0;
  }
  if (length == RSA_PSS_SALTLEN_DIGEST || (signature->hash && length == EVP_MD_get_size(signature->hash))) return 1;
  return raise_said("a salt of another length than the digest's"), 0;
}

static int signature_set_params(void *context, const OSSL_PARAM params[]) {
  struct signature *signature = context;
  const OSSL_PARAM *param;
  if (!params) return 1;
  if ((param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST)) && !signature->digest) {
    if (param->data_type != OSSL_PARAM_UTF8_STRING || !set_hash(signature, param->data)) return 0;
  }
  if ((param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE)) && !set_padding(signature, param)) return 0;
  if ((param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN)) && !check_salt(signature, param)) return 0;
  if ((param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST)) &&
      (param->data_type != OSSL_PARAM_UTF8_STRING || !signature->hash || !EVP_MD_is_a(signature->hash, param->data)))
    return raise_said("MGF1 has the hash of the digest"), 0;
  return 1;
}

static const OSSL_PARAM *signature_settable_params(void *context, void *provider) {
  (void)context, (void)provider;
  static const OSSL_PARAM params[] = {
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0), OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0), OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
    OSSL_PARAM_END,
  };
  return params;
}

static int sign_init(void *context, void *key, const OSSL_PARAM params[]) {
  struct signature *signature = context;
  if (key) {
    if (signature->key) key_release(signature->key);
    signature->key = key_retain(key);
  }
  return signature->key && signature_set_params(signature, params);
}

/* 0 if kistd has none: it has no hash but SHA-2. */
static uint32_t scheme(const struct signature *signature) {
  static const struct { const char *hash; size_t size; } hashes[] = {{"SHA2-256", 32}, {"SHA2-384", 48}, {"SHA2-512", 64}};
  for (size_t at = 0; at < sizeof hashes / sizeof *hashes; at++) {
    if (!signature->hash || !EVP_MD_is_a(signature->hash, hashes[at].hash)) continue;
    if (EVP_PKEY_is_a(signature->key->public, "RSA")) return rsa_scheme(hashes[at].size, signature->padding == RSA_PKCS1_PSS_PADDING);
    int bits = EVP_PKEY_get_bits(signature->key->public);
    return bits == 256 ? KIST_ECDSA_P256_SHA256 : bits == 384 ? KIST_ECDSA_P384_SHA384 : 0;
  }
  return 0;
}

static int sign(void *context, unsigned char *out, size_t *count, size_t room, const unsigned char *digest, size_t size) {
  struct signature *signature = context;
  size_t most = (size_t)EVP_PKEY_get_size(signature->key->public);
  if (!out) return *count = most, 1;
  uint32_t which = scheme(signature);
  if (!which) return raise_said("kistd has no such signature: SHA-256, SHA-384 or SHA-512"), 0;
  uint8_t reply_room[1024], digest_room[48];
  struct kist_sign_reply reply;
  struct kist_bytes message = {digest, size};
  // So TLS 1.2 can use P-384 with SHA-256.
  if (!EVP_PKEY_is_a(signature->key->public, "RSA")) message = fitted(message, (size_t)EVP_PKEY_get_bits(signature->key->public) / 8, digest_room);
  struct kist_sign_request request = {.scheme = which, .digested = true, .message = message};
  struct kist_outcome outcome = {.audit_sequence = KIST_UNAUDITED};
  enum kist_result result = kist_sign(signature->key->kist, signature->key->id, &request, &reply, KIST_ROOM(reply_room), &outcome);
  if (result != KIST_OK) return raise_refused("sign", result, &outcome), 0;
  if (reply.signature.count > room) return raise_said("no room for a signature of %zu bytes", reply.signature.count), 0;
  memcpy(out, reply.signature.data, reply.signature.count);
  *count = reply.signature.count;
  return 1;
}

static int digest_sign_init(void *context, const char *name, void *key, const OSSL_PARAM params[]) {
  struct signature *signature = context;
  EVP_MD_CTX_free(signature->digest);
  signature->digest = NULL;
  if (name && *name ? !set_hash(signature, name) : !signature->hash && !set_hash(signature, "SHA2-256")) return 0;
  if (!sign_init(signature, key, params)) return 0;
  signature->digest = EVP_MD_CTX_new();
  return signature->digest && EVP_DigestInit_ex2(signature->digest, signature->hash, NULL);
}

static int digest_sign_update(void *context, const unsigned char *data, size_t count) {
  struct signature *signature = context;
  return signature->digest && EVP_DigestUpdate(signature->digest, data, count);
}

static int digest_sign_final(void *context, unsigned char *out, size_t *count, size_t room) {
  struct signature *signature = context;
  if (!signature->digest) return 0;
  if (!out) return sign(signature, NULL, count, 0, NULL, 0);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size;
  return EVP_DigestFinal_ex(signature->digest, digest, &size) && sign(signature, out, count, room, digest, size);
}

static const OSSL_DISPATCH functions[] = {
  {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))signature_new},
  {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))signature_free},
  {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))signature_copy},
  {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))sign_init},
  {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},
  {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))digest_sign_init},
  {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, (void (*)(void))digest_sign_update},
  {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, (void (*)(void))digest_sign_final},
  {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))signature_set_params},
  {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))signature_settable_params},
  {0, NULL},
};

const OSSL_ALGORITHM signatures[] = {
  {"RSA:rsaEncryption", "provider=kist", functions, "RSA signatures by kistd"},
  {"ECDSA", "provider=kist", functions, "ECDSA by kistd"},
  {NULL, NULL, NULL, NULL},
};
