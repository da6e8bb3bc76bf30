/* Opening an EC_v1 token in-process, as well as it can be done, and as it is usually done. */
#ifndef BENCH_OPENING_H
#define BENCH_OPENING_H

#include "mint.h"

/* What one thread keeps between tokens. */
struct opening {
  const struct merchant *merchant;
  struct agreement agreement;
  EVP_PKEY_CTX *verification; /* of the remembered leaf's key */
  EVP_MD_CTX *hash;
  EVP_CIPHER_CTX *cipher;
  X509_STORE *anchors; /* of the usual way */
  uint8_t payment[TOKEN_DATA];
  size_t payment_count;
};

void opening_make(struct opening *opening, const struct merchant *merchant);

/* The chain was verified before, and the token has the same certificates: only the leaf's signature is verified. */
bool open_remembering(struct opening *opening, const struct token *token);
/* d2i_CMS_ContentInfo and CMS_verify, which builds and verifies the chain every time; nothing is kept. */
bool open_naively(struct opening *opening, const struct token *token);

#endif
