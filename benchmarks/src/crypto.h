/* OpenSSL at its best: algorithms fetched once, contexts used again and again. */
#ifndef BENCH_CRYPTO_H
#define BENCH_CRYPTO_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POINT = 65, Z_SIZE = 32, TAG = 16, SPKI_P256 = 91 };

struct blob {
  uint8_t *data;
  size_t count;
};

/* A whole file, `folder/name`; these end the program where there is none. */
struct blob read_file(const char *folder, const char *name);
EVP_PKEY *read_key(const char *folder, const char *name);
X509 *read_certificate(const char *folder, const char *name);

EVP_PKEY *make_p256(void);
/* 04 || X || Y. */
void point_of(EVP_PKEY *key, uint8_t point[POINT]);
/* An own digest of the process, fetched once. */
const EVP_MD *sha256(void);
void digest(const uint8_t *data, size_t count, uint8_t out[32]);

/* ECDH on P-256 with one private key. */
struct agreement {
  EVP_PKEY_CTX *context;
  EVP_PKEY *peer;
};
bool agreement_make(struct agreement *agreement, EVP_PKEY *key);
bool agree(struct agreement *agreement, const uint8_t peer[POINT], uint8_t z[Z_SIZE]);
/* The same by the plain way, with nothing kept. */
bool agree_plainly(EVP_PKEY *key, EVP_PKEY *peer, uint8_t z[Z_SIZE]);

/* SP 800-56A one-step KDF over SHA-256 with Apple's OtherInfo, whose PartyV is `party`. */
bool derive(EVP_MD_CTX *context, const uint8_t z[Z_SIZE], const uint8_t *party, size_t party_count, uint8_t key[32]);

/* AES-256-GCM with a context that keeps its cipher; the tag follows the ciphertext. */
EVP_CIPHER_CTX *gcm_make(int iv_count);
bool gcm_seal(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *iv, const uint8_t *data, size_t count, uint8_t *out);
bool gcm_open(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *iv, const uint8_t *data, size_t count, uint8_t *out);

#endif
