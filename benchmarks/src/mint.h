/* Makes EC_v1 tokens as Apple does, under a sandbox's test PKI: some ten thousand in a second. */
#ifndef BENCH_MINT_H
#define BENCH_MINT_H

#include "crypto.h"

enum { TOKEN_DATA = 512, TOKEN_SIGNATURE = 2048, TOKEN_AMOUNT = 1499 };

/* The parts that the wire has, in the sizes that these tokens have. */
struct token {
  uint8_t ephemeral[SPKI_P256];
  uint8_t transaction[32];
  uint8_t data[TOKEN_DATA];
  uint8_t signature[TOKEN_SIGNATURE];
  size_t data_count, signature_count;
};

/* What all tokens for one merchant's key share; threads may use one together. */
struct merchant {
  EVP_PKEY *key; /* its private key */
  uint8_t point[POINT];
  uint8_t key_hash[32], identifier_hash[32];
  EVP_PKEY *leaf_key;
  X509 *leaf, *intermediate, *root;
  struct blob certificates; /* leaf and intermediate, as they stand in a signature */
  struct blob signer;       /* IssuerAndSerialNumber of the leaf, in DER */
};

/* `folder` is a sandbox's pki/; ends the program where it is none. */
void merchant_read(struct merchant *merchant, const char *folder);

/* Signed now. */
void mint(const struct merchant *merchant, struct token *token);

/* The digits, and what Apple encrypts. */
extern const char token_pan[];
extern const char token_payment[];

/* An element of DER, written at `out`; gives its size. */
size_t der(uint8_t *out, uint8_t tag, const uint8_t *content, size_t count);
size_t der_of(uint8_t *out, uint8_t tag, const struct blob *parts, size_t count);
extern const uint8_t spki_p256[SPKI_P256 - POINT];

#endif
