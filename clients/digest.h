/* What a module asks kistd to sign: a digest as long as the scheme's, and the scheme for it. */
#ifndef KIST_DIGEST_H
#define KIST_DIGEST_H

#include <kist.h>
#include <string.h>

/* Of RSASSA-PKCS1-v1_5 or RSASSA-PSS, by the digest's bytes; 0 if kistd has none. */
static inline uint32_t rsa_scheme(size_t size, bool is_pss) {
  switch (size) {
  case 32: return is_pss ? KIST_RSA_PSS_SHA256 : KIST_RSA_PKCS1_SHA256;
  case 48: return is_pss ? KIST_RSA_PSS_SHA384 : KIST_RSA_PKCS1_SHA384;
  case 64: return is_pss ? KIST_RSA_PSS_SHA512 : KIST_RSA_PKCS1_SHA512;
  default: return 0;
  }
}

/*
 * A digest of the `size` bytes of a curve's order. ECDSA takes a number from the digest's first bits (FIPS 186-5 §6.4.1): a longer one is cut,
 * and zeros before a shorter one change nothing. `room` has `size` bytes, and may have the digest in it.
 */
static inline struct kist_bytes fitted(struct kist_bytes digest, size_t size, uint8_t *room) {
  if (digest.count >= size) return (struct kist_bytes){digest.data, size};
  memmove(room + size - digest.count, digest.data, digest.count);
  memset(room, 0, size - digest.count);
  return (struct kist_bytes){room, size};
}

#endif
