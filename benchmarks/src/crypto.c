#include "crypto.h"

#include <limits.h>
#include <openssl/ec.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct blob read_file(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail("%s is not there", path);
  struct blob blob = {malloc(65536), 0};
  if (blob.data) blob.count = fread(blob.data, 1, 65536, file);
  fclose(file);
  if (blob.count == 0 || blob.count == 65536) fail("%s: is empty, or too large", path);
  return blob;
}

EVP_PKEY *read_key(const char *folder, const char *name) {
  struct blob blob = read_file(folder, name);
  const uint8_t *at = blob.data;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)blob.count);
  if (!key) fail("%s/%s: no private key in DER", folder, name);
  free(blob.data);
  return key;
}

X509 *read_certificate(const char *folder, const char *name) {
  struct blob blob = read_file(folder, name);
  const uint8_t *at = blob.data;
  X509 *certificate = d2i_X509(NULL, &at, (long)blob.count);
  if (!certificate) fail("%s/%s: no certificate in DER", folder, name);
  free(blob.data);
  return certificate;
}

EVP_PKEY *make_p256(void) { return EVP_EC_gen("P-256"); }

void point_of(EVP_PKEY *key, uint8_t point[POINT]) {
  uint8_t *encoded = NULL;
  if (EVP_PKEY_get1_encoded_public_key(key, &encoded) != POINT) fail("not a key on P-256");
  memcpy(point, encoded, POINT);
  OPENSSL_free(encoded);
}

static EVP_MD *fetched_sha256;
static EVP_CIPHER *fetched_gcm;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;

static void fetch(void) {
  fetched_sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  fetched_gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
  if (!fetched_sha256 || !fetched_gcm) fail("OpenSSL lacks an algorithm");
}

const EVP_MD *sha256(void) {
  pthread_once(&fetched, fetch);
  return fetched_sha256;
}

void digest(const uint8_t *data, size_t count, uint8_t out[32]) {
  if (EVP_Digest(data, count, out, NULL, sha256(), NULL) != 1) fail("SHA-256 failed");
}

bool agreement_make(struct agreement *agreement, EVP_PKEY *key) {
  agreement->context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  agreement->peer = EVP_PKEY_new();
  return agreement->context && agreement->peer && EVP_PKEY_derive_init(agreement->context) == 1 && EVP_PKEY_copy_parameters(agreement->peer, key) == 1;
}

bool agree(struct agreement *agreement, const uint8_t peer[POINT], uint8_t z[Z_SIZE]) {
  size_t count = Z_SIZE;
  /* The first checks that the point is on the curve, which for P-256 is all there is to check. */
  return EVP_PKEY_set1_encoded_public_key(agreement->peer, peer, POINT) == 1 &&
         EVP_PKEY_derive_set_peer_ex(agreement->context, agreement->peer, 0) == 1 && EVP_PKEY_derive(agreement->context, z, &count) == 1 &&
         count == Z_SIZE;
}

bool agree_plainly(EVP_PKEY *key, EVP_PKEY *peer, uint8_t z[Z_SIZE]) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  size_t count = Z_SIZE;
  bool is_done = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, z, &count) == 1;
  EVP_PKEY_CTX_free(context);
  return is_done && count == Z_SIZE;
}

bool derive(EVP_MD_CTX *context, const uint8_t z[Z_SIZE], const uint8_t *party, size_t party_count, uint8_t key[32]) {
  static const uint8_t counter[4] = {0, 0, 0, 1};
  static const char info[] = "\x0Did-aes256-GCMApple";
  return EVP_DigestInit_ex2(context, sha256(), NULL) == 1 && EVP_DigestUpdate(context, counter, 4) == 1 && EVP_DigestUpdate(context, z, Z_SIZE) == 1 &&
         EVP_DigestUpdate(context, info, sizeof(info) - 1) == 1 && EVP_DigestUpdate(context, party, party_count) == 1 &&
         EVP_DigestFinal_ex(context, key, NULL) == 1;
}

EVP_CIPHER_CTX *gcm_make(int iv_count) {
  pthread_once(&fetched, fetch);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (!context || EVP_CipherInit_ex2(context, fetched_gcm, NULL, NULL, 1, NULL) != 1 ||
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_count, NULL) != 1) {
    fail("AES-256-GCM failed");
  }
  return context;
}

bool gcm_seal(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *iv, const uint8_t *data, size_t count, uint8_t *out) {
  int written = 0, rest = 0;
  return EVP_EncryptInit_ex2(context, NULL, key, iv, NULL) == 1 && EVP_EncryptUpdate(context, out, &written, data, (int)count) == 1 &&
         EVP_EncryptFinal_ex(context, out + written, &rest) == 1 && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, out + count) == 1;
}

bool gcm_open(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *iv, const uint8_t *data, size_t count, uint8_t *out) {
  int written = 0, rest = 0;
  if (count < TAG) return false;
  size_t ciphertext = count - TAG;
  return EVP_DecryptInit_ex2(context, NULL, key, iv, NULL) == 1 && EVP_DecryptUpdate(context, out, &written, data, (int)ciphertext) == 1 &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)(uintptr_t)(data + ciphertext)) == 1 &&
         EVP_DecryptFinal_ex(context, out + written, &rest) == 1;
}
