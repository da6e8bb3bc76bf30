/*
 * What the daemon's operations cost in-process, done as well as OpenSSL can.
 *
 * usage: limit PKI OPERATION SECONDS THREADS
 *        limit PKI check
 * PKI is a sandbox's pki/.
 */
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "opening.h"

enum { PEERS = 64, TOKENS = 256, LARGE = 16 * 1024, AAD_HEADER = 29 };

static const char *pki;
static struct merchant merchant;
static struct token *tokens;

static void *zeroed(size_t size) {
  void *memory = calloc(1, size);
  if (!memory) fail("no memory");
  return memory;
}

/* ecdh */

struct ecdh {
  struct agreement agreement;
  EVP_PKEY *key, *peers[PEERS];
  uint8_t points[PEERS][POINT], z[Z_SIZE];
  unsigned next, last;
};

static void *ecdh_make(unsigned thread) {
  (void)thread;
  struct ecdh *self = zeroed(sizeof(*self));
  self->key = make_p256();
  for (int i = 0; i < PEERS; i++) point_of(self->peers[i] = make_p256(), self->points[i]);
  return agreement_make(&self->agreement, self->key) ? self : NULL;
}

static enum outcome ecdh_once(void *of) {
  struct ecdh *self = of;
  self->last = self->next++ % PEERS;
  return agree(&self->agreement, self->points[self->last], self->z) ? DONE : WRONG;
}

/* By the peer's side. */
static bool ecdh_verify(void *of) {
  struct ecdh *self = of;
  uint8_t z[Z_SIZE];
  return agree_plainly(self->peers[self->last], self->key, z) && memcmp(z, self->z, Z_SIZE) == 0;
}

static void ecdh_spoil(void *of) { ((struct ecdh *)of)->z[31] ^= 1; }

/* sign */

struct sign {
  EVP_PKEY *key;
  EVP_PKEY_CTX *context;
  uint8_t digest[32], signature[256];
  size_t count;
};

static void *sign_make(EVP_PKEY *key) {
  struct sign *self = zeroed(sizeof(*self));
  self->key = key;
  self->context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  if (EVP_PKEY_sign_init(self->context) != 1 || EVP_PKEY_CTX_set_signature_md(self->context, sha256()) != 1) return NULL;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_CTX_set_rsa_padding(self->context, RSA_PKCS1_PADDING) != 1) return NULL;
  return self;
}

static void *p256_make(unsigned thread) {
  (void)thread;
  return sign_make(make_p256());
}

static void *rsa_make(unsigned thread) {
  (void)thread;
  return sign_make(EVP_RSA_gen(2048));
}

static enum outcome sign_once(void *of) {
  struct sign *self = of;
  self->digest[0] += 1;
  self->count = sizeof(self->signature);
  return EVP_PKEY_sign(self->context, self->signature, &self->count, self->digest, sizeof(self->digest)) == 1 ? DONE : WRONG;
}

static bool sign_verify(void *of) {
  struct sign *self = of;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(self->key, NULL);
  bool is_good = EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1 &&
                 EVP_PKEY_verify(context, self->signature, self->count, self->digest, sizeof(self->digest)) == 1;
  EVP_PKEY_CTX_free(context);
  return is_good;
}

static void sign_spoil(void *of) {
  struct sign *self = of;
  self->signature[self->count - 1] ^= 1;
}

/* sign-ed25519, as a checkpoint is signed */

enum { CHECKPOINT = 128, ED25519 = 64 };

struct checkpoint {
  EVP_PKEY *key;
  EVP_MD_CTX *context;
  uint8_t text[CHECKPOINT], signature[ED25519];
};

static void *checkpoint_make(unsigned thread) {
  (void)thread;
  struct checkpoint *self = zeroed(sizeof(*self));
  self->key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  self->context = EVP_MD_CTX_new();
  return EVP_DigestSignInit(self->context, NULL, NULL, NULL, self->key) == 1 ? self : NULL;
}

static enum outcome checkpoint_once(void *of) {
  struct checkpoint *self = of;
  size_t count = ED25519;
  self->text[0] += 1;
  return EVP_DigestSign(self->context, self->signature, &count, self->text, CHECKPOINT) == 1 ? DONE : WRONG;
}

static bool checkpoint_verify(void *of) {
  struct checkpoint *self = of;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_good = EVP_DigestVerifyInit(context, NULL, NULL, NULL, self->key) == 1 &&
                 EVP_DigestVerify(context, self->signature, ED25519, self->text, CHECKPOINT) == 1;
  EVP_MD_CTX_free(context);
  return is_good;
}

static void checkpoint_spoil(void *of) { ((struct checkpoint *)of)->signature[0] ^= 1; }

/* seal and unseal: AES-256-GCM under one key, the nonce drawn, with the associated data of the daemon's envelope */

struct seal {
  EVP_CIPHER_CTX *context;
  uint8_t key[32], nonce[12], header[AAD_HEADER], plaintext[LARGE], sealed[LARGE + TAG], opened[LARGE];
  size_t count;
};

static struct seal *seal_make(size_t count) {
  struct seal *self = zeroed(sizeof(*self));
  self->context = gcm_make(sizeof(self->nonce));
  self->count = count;
  RAND_bytes(self->key, sizeof(self->key));
  RAND_bytes(self->plaintext, (int)count);
  return EVP_CipherInit_ex2(self->context, NULL, self->key, NULL, 1, NULL) == 1 ? self : NULL;
}

static enum outcome seal_once(void *of) {
  struct seal *self = of;
  int written;
  bool is_done = RAND_bytes(self->nonce, sizeof(self->nonce)) == 1 && EVP_EncryptInit_ex2(self->context, NULL, NULL, self->nonce, NULL) == 1 &&
                 EVP_EncryptUpdate(self->context, NULL, &written, self->header, AAD_HEADER) == 1 &&
                 EVP_EncryptUpdate(self->context, self->sealed, &written, self->plaintext, (int)self->count) == 1 &&
                 EVP_EncryptFinal_ex(self->context, self->sealed + written, &written) == 1 &&
                 EVP_CIPHER_CTX_ctrl(self->context, EVP_CTRL_AEAD_GET_TAG, TAG, self->sealed + self->count) == 1;
  return is_done ? DONE : WRONG;
}

static bool decrypt(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, struct seal *self) {
  int written;
  return EVP_DecryptInit_ex(context, cipher, NULL, cipher ? self->key : NULL, self->nonce) == 1 &&
         EVP_DecryptUpdate(context, NULL, &written, self->header, AAD_HEADER) == 1 &&
         EVP_DecryptUpdate(context, self->opened, &written, self->sealed, (int)self->count) == 1 &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, self->sealed + self->count) == 1 &&
         EVP_DecryptFinal_ex(context, self->opened + written, &written) == 1;
}

static bool seal_verify(void *of) {
  struct seal *self = of;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  bool is_good = decrypt(context, EVP_aes_256_gcm(), self) && memcmp(self->opened, self->plaintext, self->count) == 0;
  EVP_CIPHER_CTX_free(context);
  return is_good;
}

static void seal_spoil(void *of) { ((struct seal *)of)->sealed[0] ^= 1; }

static struct seal *unseal_make(size_t count) {
  struct seal *self = seal_make(count);
  bool is_ready = seal_once(self) == DONE && EVP_CipherInit_ex2(self->context, NULL, self->key, NULL, 0, NULL) == 1;
  return is_ready ? self : NULL;
}

static enum outcome unseal_once(void *of) {
  struct seal *self = of;
  self->opened[0] ^= 1;
  return decrypt(self->context, NULL, self) ? DONE : WRONG;
}

static bool unseal_verify(void *of) {
  struct seal *self = of;
  return memcmp(self->opened, self->plaintext, self->count) == 0;
}

static void unseal_spoil(void *of) { ((struct seal *)of)->opened[0] ^= 1; }

static void *seal_1k(unsigned thread) { return (void)thread, seal_make(1024); }
static void *seal_16k(unsigned thread) { return (void)thread, seal_make(LARGE); }
static void *unseal_1k(unsigned thread) { return (void)thread, unseal_make(1024); }
static void *unseal_16k(unsigned thread) { return (void)thread, unseal_make(LARGE); }

/* open-payment-token */

struct open {
  struct opening opening;
  unsigned next;
};

static void *open_make(unsigned thread) {
  struct open *self = zeroed(sizeof(*self));
  opening_make(&self->opening, &merchant);
  self->next = thread;
  return self;
}

static enum outcome open_once(void *of) {
  struct open *self = of;
  return open_remembering(&self->opening, &tokens[self->next++ % TOKENS]) ? DONE : WRONG;
}

static enum outcome open_naively_once(void *of) {
  struct open *self = of;
  return open_naively(&self->opening, &tokens[self->next++ % TOKENS]) ? DONE : WRONG;
}

/* Opens what it must, and nothing in which a bit was changed. */
static bool open_verify(void *of) {
  struct open *self = of;
  if (memcmp(self->opening.payment, token_payment, strlen(token_payment)) != 0) return false;
  struct opening fresh;
  opening_make(&fresh, &merchant);
  struct token token = tokens[0];
  bool is_good = open_remembering(&fresh, &token) && open_naively(&fresh, &token);
  uint8_t *parts[] = {token.ephemeral + SPKI_P256 - 1, token.transaction, token.data, token.signature + token.signature_count - 1};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    *parts[i] ^= 1;
    is_good = is_good && !open_remembering(&fresh, &token) && !open_naively(&fresh, &token);
    *parts[i] ^= 1;
  }
  return is_good;
}

static void open_spoil(void *of) { ((struct open *)of)->opening.payment[0] ^= 1; }

/* provision-pass: a remembered chain, an ephemeral key, ECDH, KDF, the members as JSON, GCM */

struct provision {
  EVP_PKEY *recipient;
  EVP_PKEY_CTX *generation;
  EVP_MD_CTX *hash;
  EVP_CIPHER_CTX *cipher;
  uint8_t certificates[1500], remembered[1500];
  uint8_t point[POINT], sealed[512 + TAG];
  char pass[512];
  size_t count;
};

static void *provision_make(unsigned thread) {
  (void)thread;
  struct provision *self = zeroed(sizeof(*self));
  self->recipient = make_p256();
  self->generation = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  self->hash = EVP_MD_CTX_new();
  self->cipher = gcm_make(12);
  bool is_ready = EVP_PKEY_keygen_init(self->generation) == 1 && EVP_PKEY_CTX_set_group_name(self->generation, "P-256") == 1;
  return is_ready ? self : NULL;
}

static enum outcome provision_once(void *of) {
  struct provision *self = of;
  static const uint8_t iv[12];
  uint8_t z[Z_SIZE], key[32];
  size_t count = Z_SIZE;
  if (memcmp(self->certificates, self->remembered, sizeof(self->certificates)) != 0) return WRONG;
  int written = snprintf(self->pass, sizeof(self->pass),
                         "{\"expiration\":\"%s\",\"name\":\"%s\",\"nonce\":\"%08x\",\"nonceSignature\":\"%064x\",\"primaryAccountNumber\":\"%s\"}", "12/30",
                         "A. Card", 0x6e6f6e63u, 7u, token_pan);
  EVP_PKEY *ephemeral = NULL;
  if (EVP_PKEY_generate(self->generation, &ephemeral) != 1) return WRONG;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, ephemeral, NULL);
  /* The recipient is the remembered chain's: it was checked with it. */
  bool is_done = EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, self->recipient, 0) == 1 &&
                 EVP_PKEY_derive(context, z, &count) == 1;
  size_t point = 0;
  is_done = is_done && EVP_PKEY_get_octet_string_param(ephemeral, "encoded-pub-key", self->point, POINT, &point) == 1 && point == POINT &&
            derive(self->hash, z, self->point, POINT, key) && gcm_seal(self->cipher, key, iv, (uint8_t *)self->pass, (size_t)written, self->sealed);
  self->count = (size_t)written + TAG;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(ephemeral);
  return is_done ? DONE : WRONG;
}

/* As Apple opens it. */
static bool provision_verify(void *of) {
  struct provision *self = of;
  static const uint8_t iv[12];
  uint8_t z[Z_SIZE], key[32], opened[512];
  struct agreement agreement;
  return agreement_make(&agreement, self->recipient) && agree(&agreement, self->point, z) && derive(self->hash, z, self->point, POINT, key) &&
         gcm_open(self->cipher, key, iv, self->sealed, self->count, opened) && memcmp(opened, self->pass, self->count - TAG) == 0;
}

static void provision_spoil(void *of) { ((struct provision *)of)->sealed[0] ^= 1; }

static const struct work works[] = {
    {"ecdh", ecdh_make, ecdh_once, ecdh_verify, ecdh_spoil, 1},
    {"sign-p256", p256_make, sign_once, sign_verify, sign_spoil, 1},
    {"sign-rsa", rsa_make, sign_once, sign_verify, sign_spoil, 1},
    {"sign-ed25519", checkpoint_make, checkpoint_once, checkpoint_verify, checkpoint_spoil, 1},
    {"seal-1k", seal_1k, seal_once, seal_verify, seal_spoil, 1},
    {"seal-16k", seal_16k, seal_once, seal_verify, seal_spoil, 1},
    {"unseal-1k", unseal_1k, unseal_once, unseal_verify, unseal_spoil, 1},
    {"unseal-16k", unseal_16k, unseal_once, unseal_verify, unseal_spoil, 1},
    {"open", open_make, open_once, open_verify, open_spoil, 1},
    {"open-naively", open_make, open_naively_once, open_verify, open_spoil, 1},
    {"provision", provision_make, provision_once, provision_verify, provision_spoil, 1},
};
enum { WORKS = sizeof(works) / sizeof(works[0]) };

int main(int argc, char **argv) {
  bool is_check = argc == 3 && strcmp(argv[2], "check") == 0;
  if (!is_check && argc != 5) fail("usage: limit PKI OPERATION SECONDS THREADS | limit PKI check");
  pki = argv[1];
  merchant_read(&merchant, pki);
  tokens = zeroed(TOKENS * sizeof(*tokens));
  bool opens = is_check || strncmp(argv[2], "open", 4) == 0;
  for (int i = 0; opens && i < TOKENS; i++) mint(&merchant, &tokens[i]);
  if (!is_check) return measure(work_named(works, WORKS, argv[2]), (struct plan){(unsigned)number(argv[4]), number(argv[3]), 0});
  bool is_good = true;
  for (size_t i = 0; i < WORKS; i++) is_good = check(&works[i]) && is_good;
  if (is_good) printf("%d operations are right\n", WORKS);
  return is_good ? 0 : 1;
}
