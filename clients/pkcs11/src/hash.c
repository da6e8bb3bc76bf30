/* SHA-2 of libsodium, which needs no start and has no state of its own. */
#include "module.h"

#include <string.h>

/* FIPS 180-4 §5.3.4: SHA-384 is SHA-512 from another start, cut to 48 bytes. libsodium has no function of that name. */
static const uint64_t sha384_start[8] = {
  0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
  0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

size_t hash_size(enum hash hash) {
  switch (hash) {
  case HASH_NONE: return 0;
  case HASH_SHA256: return 32;
  case HASH_SHA384: return 48;
  case HASH_SHA512: return 64;
  }
  return 0;
}

void hash_begin(struct hashing *hashing, enum hash hash) {
  hashing->hash = hash;
  if (hash == HASH_SHA256) {
    crypto_hash_sha256_init(&hashing->state.sha256);
  } else {
    crypto_hash_sha512_init(&hashing->state.sha512);
    if (hash == HASH_SHA384) memcpy(hashing->state.sha512.state, sha384_start, sizeof sha384_start);
  }
}

void hash_add(struct hashing *hashing, const uint8_t *data, size_t count) {
  if (hashing->hash == HASH_SHA256)
    crypto_hash_sha256_update(&hashing->state.sha256, data, count);
  else
    crypto_hash_sha512_update(&hashing->state.sha512, data, count);
}

size_t hash_end(struct hashing *hashing, uint8_t digest[64]) {
  if (hashing->hash == HASH_SHA256)
    crypto_hash_sha256_final(&hashing->state.sha256, digest);
  else
    crypto_hash_sha512_final(&hashing->state.sha512, digest);
  return hash_size(hashing->hash);
}
