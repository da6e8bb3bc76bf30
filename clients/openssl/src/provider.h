/* An OpenSSL 3 provider whose private keys stay in kistd: the parts of it, and who calls them. OpenSSL alone does, by the tables. */
#ifndef KIST_PROVIDER_H
#define KIST_PROVIDER_H

#include <kist.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

/* One provider in one library context. */
struct provider {
  OSSL_FUNC_BIO_read_ex_fn *read;
  OSSL_FUNC_BIO_gets_fn *gets;
  /* In which public keys and digests are OpenSSL's own: nothing in it leads back here. */
  OSSL_LIB_CTX *own;
};

/* A private key by reference; it is counted, since signatures outlive the EVP_PKEY that began them. */
struct key {
  struct provider *provider;
  struct kist *kist;
  uint8_t id[KIST_KEY_ID_SIZE];
  EVP_PKEY *public;
  int references;
};

/* Asks kistd for the one key of a reference, "kist:LABEL" or "kist:LABEL;endpoint=unix:/PATH"; NULL with an error raised. */
struct key *key_open(struct provider *provider, const char *reference);
struct key *key_retain(struct key *key);
void key_release(struct key *key);

/* Raises an error that says what was tried and what kistd or the client said. */
void raise_refused(const char *tried, enum kist_result result, const struct kist_outcome *outcome);
void raise_said(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern const OSSL_ALGORITHM key_managers[], decoders[], signatures[];

#endif
