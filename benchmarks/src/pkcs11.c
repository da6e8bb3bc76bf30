/*
 * A PKCS #11 module: SoftHSM in-process, or behind p11-kit's socket, or Kist's.
 *
 * usage: pkcs11 MODULE prepare                              makes the keys on the token "bench", whose PIN is 1234
 *        pkcs11 MODULE ecdh|sign-p256|sign-rsa|seal-1k SECONDS THREADS
 * Kist's token has another name, and its keys are there already: bench/ec and bench/rsa.
 * Exit code 69 where the module does not have the mechanism.
 */
#include <dlfcn.h>
#include <p11-kit/pkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "measure.h"

enum { UNAVAILABLE = 69, MESSAGE = 1024 };

#define ATTRIBUTE(TYPE, VALUE) {TYPE, &(VALUE), sizeof(VALUE)}
#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))
#define CALL(NAME, ...) called(#NAME, functions->NAME(__VA_ARGS__))

static CK_FUNCTION_LIST *functions;
static CK_SLOT_ID slot;
static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_OBJECT_CLASS private_key = CKO_PRIVATE_KEY, public_key = CKO_PUBLIC_KEY, secret_key = CKO_SECRET_KEY;
static CK_KEY_TYPE generic = CKK_GENERIC_SECRET;
static CK_BYTE ec_label[] = "bench/ec", rsa_label[] = "bench/rsa", aes_label[] = "bench/aes", pin[] = "1234", p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};

static void called(const char *name, CK_RV result) {
  if (result == CKR_OK) return;
  fprintf(stderr, "%s: 0x%lx\n", name, result);
  exit(result == CKR_MECHANISM_INVALID || result == CKR_MECHANISM_PARAM_INVALID ? UNAVAILABLE : 70);
}

static void open_module(const char *path) {
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) fail("%s", dlerror());
  CK_C_GetFunctionList list;
  *(void **)&list = dlsym(module, "C_GetFunctionList");
  if (!list || list(&functions) != CKR_OK) fail("%s is no PKCS #11 module", path);
  CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
  CALL(C_Initialize, &arguments);
  CK_SLOT_ID slots[16];
  CK_ULONG count = COUNT(slots);
  CALL(C_GetSlotList, CK_TRUE, slots, &count);
  for (CK_ULONG i = 0; i < count; i++) {
    CK_TOKEN_INFO token;
    CALL(C_GetTokenInfo, slots[i], &token);
    if (memcmp(token.label, "bench ", 6) == 0 || memcmp(token.label, "Kist ", 5) == 0) {
      slot = slots[i];
      return;
    }
  }
  fail("there is no token with the label bench");
}

static CK_SESSION_HANDLE open_session(void) {
  CK_SESSION_HANDLE session;
  CALL(C_OpenSession, slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
  CK_RV result = functions->C_Login(session, CKU_USER, pin, sizeof(pin) - 1);
  if (result != CKR_USER_ALREADY_LOGGED_IN) called("C_Login", result);
  return session;
}

static CK_OBJECT_HANDLE find(CK_SESSION_HANDLE session, CK_OBJECT_CLASS class, CK_BYTE *label) {
  CK_ATTRIBUTE wanted[] = {ATTRIBUTE(CKA_CLASS, class), {CKA_LABEL, label, strlen((char *)label)}};
  CK_OBJECT_HANDLE found;
  CK_ULONG count = 0;
  CALL(C_FindObjectsInit, session, wanted, COUNT(wanted));
  CALL(C_FindObjects, session, &found, 1, &count);
  CALL(C_FindObjectsFinal, session);
  if (count != 1) fail("the token has no key %s", label);
  return found;
}

static int prepare(void) {
  CK_SESSION_HANDLE session = open_session();
  CK_OBJECT_HANDLE public, private, secret;
  CK_MECHANISM ec = {CKM_EC_KEY_PAIR_GEN, NULL, 0}, aes = {CKM_AES_KEY_GEN, NULL, 0};
  CK_ATTRIBUTE public_part[] = {
      ATTRIBUTE(CKA_TOKEN, yes), ATTRIBUTE(CKA_VERIFY, yes), ATTRIBUTE(CKA_EC_PARAMS, p256), {CKA_LABEL, ec_label, sizeof(ec_label) - 1}};
  CK_ATTRIBUTE private_part[] = {ATTRIBUTE(CKA_TOKEN, yes),     ATTRIBUTE(CKA_PRIVATE, yes), ATTRIBUTE(CKA_SENSITIVE, yes),
                                 ATTRIBUTE(CKA_SIGN, yes),      ATTRIBUTE(CKA_DERIVE, yes),  {CKA_LABEL, ec_label, sizeof(ec_label) - 1}};
  CALL(C_GenerateKeyPair, session, &ec, public_part, COUNT(public_part), private_part, COUNT(private_part), &public, &private);
  CK_ULONG bits = 2048;
  CK_MECHANISM rsa = {CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0};
  CK_BYTE exponent[] = {1, 0, 1};
  CK_ATTRIBUTE public_rsa[] = {ATTRIBUTE(CKA_TOKEN, yes), ATTRIBUTE(CKA_VERIFY, yes), ATTRIBUTE(CKA_MODULUS_BITS, bits),
                               ATTRIBUTE(CKA_PUBLIC_EXPONENT, exponent), {CKA_LABEL, rsa_label, sizeof(rsa_label) - 1}};
  CK_ATTRIBUTE private_rsa[] = {
      ATTRIBUTE(CKA_TOKEN, yes), ATTRIBUTE(CKA_PRIVATE, yes), ATTRIBUTE(CKA_SENSITIVE, yes), ATTRIBUTE(CKA_SIGN, yes), {CKA_LABEL, rsa_label, sizeof(rsa_label) - 1}};
  CALL(C_GenerateKeyPair, session, &rsa, public_rsa, COUNT(public_rsa), private_rsa, COUNT(private_rsa), &public, &private);
  CK_ULONG size = 32;
  CK_ATTRIBUTE symmetric[] = {ATTRIBUTE(CKA_TOKEN, yes),   ATTRIBUTE(CKA_PRIVATE, yes), ATTRIBUTE(CKA_ENCRYPT, yes),
                              ATTRIBUTE(CKA_DECRYPT, yes), ATTRIBUTE(CKA_VALUE_LEN, size), {CKA_LABEL, aes_label, sizeof(aes_label) - 1}};
  CALL(C_GenerateKey, session, &aes, symmetric, COUNT(symmetric), &secret);
  return 0;
}

/* One thread's session. */
struct session {
  CK_SESSION_HANDLE handle;
  CK_OBJECT_HANDLE key;
  EVP_PKEY *token, *peer; /* the token's public key, and the other side of an agreement */
  CK_BYTE point[POINT], input[MESSAGE], output[MESSAGE + TAG], iv[12], modulus[256];
  CK_ULONG count;
};

/* OpenSSL's view of the token's public key, to verify with. */
static EVP_PKEY *token_public_key(CK_SESSION_HANDLE session) {
  CK_BYTE wrapped[2 + POINT];
  CK_ATTRIBUTE point = ATTRIBUTE(CKA_EC_POINT, wrapped);
  CALL(C_GetAttributeValue, session, find(session, public_key, ec_label), &point, 1);
  EVP_PKEY *key = EVP_PKEY_new(), *template = make_p256();
  bool is_made = EVP_PKEY_copy_parameters(key, template) == 1 && EVP_PKEY_set1_encoded_public_key(key, wrapped + 2, POINT) == 1;
  EVP_PKEY_free(template);
  if (!is_made) fail("the token's public key is none");
  return key;
}

static struct session *make(CK_OBJECT_CLASS class, CK_BYTE *label) {
  struct session *self = calloc(1, sizeof(*self));
  if (!self) return NULL;
  self->handle = open_session();
  self->key = find(self->handle, class, label);
  self->token = token_public_key(self->handle);
  point_of(self->peer = make_p256(), self->point);
  return self;
}

static void *make_ec(unsigned thread) { return (void)thread, make(private_key, ec_label); }
static void *make_rsa(unsigned thread) {
  (void)thread;
  struct session *self = make(private_key, rsa_label);
  if (!self) return NULL;
  CK_ATTRIBUTE modulus = ATTRIBUTE(CKA_MODULUS, self->modulus);
  CALL(C_GetAttributeValue, self->handle, find(self->handle, public_key, rsa_label), &modulus, 1);
  return self;
}
static void *make_aes(unsigned thread) { return (void)thread, make(secret_key, aes_label); }

static enum outcome sign(void *of) {
  struct session *self = of;
  CK_MECHANISM ecdsa = {CKM_ECDSA, NULL, 0};
  self->input[0] += 1;
  self->count = sizeof(self->output);
  CALL(C_SignInit, self->handle, &ecdsa, self->key);
  CALL(C_Sign, self->handle, self->input, 32, self->output, &self->count);
  return DONE;
}

static bool verify_signature(void *of) {
  struct session *self = of;
  ECDSA_SIG *pair = ECDSA_SIG_new();
  uint8_t *encoded = NULL;
  if (self->count != 64) return false;
  ECDSA_SIG_set0(pair, BN_bin2bn(self->output, 32, NULL), BN_bin2bn(self->output + 32, 32, NULL));
  int count = i2d_ECDSA_SIG(pair, &encoded);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(self->token, NULL);
  bool is_good = EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_verify(context, encoded, (size_t)count, self->input, 32) == 1;
  EVP_PKEY_CTX_free(context);
  OPENSSL_free(encoded);
  ECDSA_SIG_free(pair);
  return is_good;
}

static enum outcome sign_rsa(void *of) {
  struct session *self = of;
  CK_MECHANISM pkcs1 = {CKM_SHA256_RSA_PKCS, NULL, 0};
  self->input[0] += 1;
  self->count = sizeof(self->output);
  CALL(C_SignInit, self->handle, &pkcs1, self->key);
  CALL(C_Sign, self->handle, self->input, 32, self->output, &self->count);
  return DONE;
}

/* The signature to the power of 65537 ends with the digest, after PKCS#1's padding. */
static bool verify_rsa(void *of) {
  struct session *self = of;
  uint8_t digest[32], padded[256];
  BIGNUM *n = BN_bin2bn(self->modulus, 256, NULL), *s = BN_bin2bn(self->output, 256, NULL), *e = BN_new(), *m = BN_new();
  BN_CTX *context = BN_CTX_new();
  bool is_good = self->count == 256 && BN_set_word(e, 65537) && BN_mod_exp(m, s, e, n, context) && BN_bn2binpad(m, padded, 256) == 256 &&
                 EVP_Digest(self->input, 32, digest, NULL, EVP_sha256(), NULL) && padded[0] == 0 && padded[1] == 1 && !memcmp(padded + 224, digest, 32);
  BN_free(n), BN_free(s), BN_free(e), BN_free(m), BN_CTX_free(context);
  return is_good;
}

static enum outcome agree_on_token(void *of) {
  struct session *self = of;
  CK_ECDH1_DERIVE_PARAMS parameters = {.kdf = CKD_NULL, .ulPublicDataLen = POINT, .pPublicData = self->point};
  CK_MECHANISM ecdh = {CKM_ECDH1_DERIVE, &parameters, sizeof(parameters)};
  CK_ULONG size = Z_SIZE;
  CK_ATTRIBUTE derived[] = {ATTRIBUTE(CKA_CLASS, secret_key), ATTRIBUTE(CKA_KEY_TYPE, generic), ATTRIBUTE(CKA_VALUE_LEN, size),
                            ATTRIBUTE(CKA_TOKEN, no),         ATTRIBUTE(CKA_SENSITIVE, no),     ATTRIBUTE(CKA_EXTRACTABLE, yes)};
  CK_OBJECT_HANDLE secret;
  CK_ATTRIBUTE value = {CKA_VALUE, self->output, Z_SIZE};
  CALL(C_DeriveKey, self->handle, &ecdh, self->key, derived, COUNT(derived), &secret);
  CALL(C_GetAttributeValue, self->handle, secret, &value, 1);
  CALL(C_DestroyObject, self->handle, secret);
  return value.ulValueLen == Z_SIZE ? DONE : WRONG;
}

static bool verify_secret(void *of) {
  struct session *self = of;
  uint8_t z[Z_SIZE];
  return agree_plainly(self->peer, self->token, z) && memcmp(z, self->output, Z_SIZE) == 0;
}

static CK_MECHANISM gcm(struct session *self, CK_GCM_PARAMS *parameters) {
  *parameters = (CK_GCM_PARAMS){.pIv = self->iv, .ulIvLen = sizeof(self->iv), .ulIvBits = 96, .ulTagBits = 8 * TAG};
  return (CK_MECHANISM){CKM_AES_GCM, parameters, sizeof(*parameters)};
}

static enum outcome seal(void *of) {
  struct session *self = of;
  CK_GCM_PARAMS parameters;
  CK_MECHANISM mechanism = gcm(self, &parameters);
  for (int i = 0; i < 12 && ++self->iv[i] == 0; i++) continue;
  self->count = sizeof(self->output);
  CALL(C_EncryptInit, self->handle, &mechanism, self->key);
  CALL(C_Encrypt, self->handle, self->input, MESSAGE, self->output, &self->count);
  return self->count == MESSAGE + TAG ? DONE : WRONG;
}

static bool verify_sealed(void *of) {
  struct session *self = of;
  CK_GCM_PARAMS parameters;
  CK_MECHANISM mechanism = gcm(self, &parameters);
  CK_BYTE opened[MESSAGE + TAG];
  CK_ULONG count = sizeof(opened);
  CALL(C_DecryptInit, self->handle, &mechanism, self->key);
  CALL(C_Decrypt, self->handle, self->output, self->count, opened, &count);
  return count == MESSAGE && memcmp(opened, self->input, MESSAGE) == 0;
}

static const struct work works[] = {
    {.name = "ecdh", .make = make_ec, .once = agree_on_token, .verify = verify_secret},
    {.name = "sign-p256", .make = make_ec, .once = sign, .verify = verify_signature},
    {.name = "sign-rsa", .make = make_rsa, .once = sign_rsa, .verify = verify_rsa},
    {.name = "seal-1k", .make = make_aes, .once = seal, .verify = verify_sealed},
};

int main(int argc, char **argv) {
  bool prepares = argc == 3 && strcmp(argv[2], "prepare") == 0;
  if (!prepares && argc != 5) fail("usage: pkcs11 MODULE prepare | pkcs11 MODULE OPERATION SECONDS THREADS");
  open_module(argv[1]);
  if (prepares) return prepare();
  return measure(work_named(works, COUNT(works), argv[2]), (struct plan){(unsigned)number(argv[4]), number(argv[3]), 0});
}
