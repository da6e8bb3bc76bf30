#include "opening.h"

#include <openssl/cms.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

static const uint8_t iv[16];
static const int64_t freshness = 300; /* seconds */

void opening_make(struct opening *opening, const struct merchant *merchant) {
  *opening = (struct opening){.merchant = merchant, .hash = EVP_MD_CTX_new(), .cipher = gcm_make(sizeof(iv)), .anchors = X509_STORE_new()};
  EVP_PKEY *leaf = X509_get0_pubkey(merchant->leaf);
  opening->verification = EVP_PKEY_CTX_new_from_pkey(NULL, leaf, NULL);
  if (!agreement_make(&opening->agreement, merchant->key) || EVP_PKEY_verify_init(opening->verification) != 1 ||
      X509_STORE_add_cert(opening->anchors, merchant->root) != 1) {
    fail("opening: OpenSSL failed");
  }
}

/* A reader of DER; what is not there leaves `is_broken`. */
struct reader {
  const uint8_t *at, *end;
  bool is_broken;
};

struct element {
  const uint8_t *whole, *content;
  size_t whole_count, count;
};

static struct element next(struct reader *reader, uint8_t tag) {
  struct element element = {.whole = reader->at};
  size_t rest = (size_t)(reader->end - reader->at), header = 2;
  if (reader->is_broken || rest < 2 || reader->at[0] != tag) goto broken;
  element.count = reader->at[1];
  if (element.count >= 0x80) {
    header += element.count & 0x7F;
    if (header > 4 || rest < header) goto broken;
    element.count = 0;
    for (size_t i = 2; i < header; i++) element.count = element.count << 8 | reader->at[i];
  }
  if (element.count > rest - header) goto broken;
  element.content = reader->at + header;
  element.whole_count = header + element.count;
  reader->at += element.whole_count;
  return element;
broken:
  reader->is_broken = true;
  return (struct element){.whole = reader->end, .content = reader->end};
}

static struct reader inside(struct element element) { return (struct reader){element.content, element.content + element.count, false}; }

static bool is(const uint8_t *data, size_t count, struct blob expected) { return count == expected.count && memcmp(data, expected.data, count) == 0; }

struct signature {
  struct element attributes, value, digest, moment;
};

/* The signature's shape, its certificates and signer being the remembered ones. */
static bool read_signature(const struct merchant *merchant, const struct token *token, struct signature *out) {
  struct reader whole = {token->signature, token->signature + token->signature_count, false};
  struct reader info = inside(next(&whole, 0x30));
  next(&info, 0x06);
  struct reader wrapped = inside(next(&info, 0xA0));
  struct reader fields = inside(next(&wrapped, 0x30));
  next(&fields, 0x02);
  next(&fields, 0x31);
  next(&fields, 0x30);
  struct element certificates = next(&fields, 0xA0);
  struct reader signers = inside(next(&fields, 0x31));
  struct reader signer = inside(next(&signers, 0x30));
  next(&signer, 0x02);
  struct element identifier = next(&signer, 0x30);
  next(&signer, 0x30);
  out->attributes = next(&signer, 0xA0);
  next(&signer, 0x30);
  out->value = next(&signer, 0x04);
  struct reader attributes = inside(out->attributes);
  next(&attributes, 0x30);
  struct reader time = inside(next(&attributes, 0x30)), digest = inside(next(&attributes, 0x30));
  next(&time, 0x06);
  next(&digest, 0x06);
  struct reader times = inside(next(&time, 0x31)), digests = inside(next(&digest, 0x31));
  out->moment = next(&times, 0x17);
  out->digest = next(&digests, 0x04);
  bool is_whole = !whole.is_broken && !info.is_broken && !wrapped.is_broken && !fields.is_broken && !signers.is_broken && !signer.is_broken &&
                  !attributes.is_broken && !times.is_broken && !digests.is_broken && out->digest.count == 32 && out->moment.count == 13;
  return is_whole && is(certificates.content, certificates.count, merchant->certificates) &&
         is(identifier.whole, identifier.whole_count, merchant->signer);
}

static bool is_fresh(struct element moment) {
  int field[6];
  for (int i = 0; i < 6; i++) field[i] = (moment.content[2 * i] - '0') * 10 + moment.content[2 * i + 1] - '0';
  struct tm fields = {
      .tm_year = field[0] + 100, .tm_mon = field[1] - 1, .tm_mday = field[2], .tm_hour = field[3], .tm_min = field[4], .tm_sec = field[5]};
  int64_t age = (int64_t)time(NULL) - (int64_t)timegm(&fields);
  return age >= -freshness && age <= freshness;
}

static bool verify(struct opening *opening, const struct token *token) {
  struct signature signature;
  uint8_t sum[32];
  if (!read_signature(opening->merchant, token, &signature)) return false;
  EVP_MD_CTX *hash = opening->hash;
  if (EVP_DigestInit_ex2(hash, sha256(), NULL) != 1 || EVP_DigestUpdate(hash, token->ephemeral, SPKI_P256) != 1 ||
      EVP_DigestUpdate(hash, token->data, token->data_count) != 1 || EVP_DigestUpdate(hash, token->transaction, 32) != 1 ||
      EVP_DigestFinal_ex(hash, sum, NULL) != 1 || memcmp(sum, signature.digest.content, 32) != 0) {
    return false;
  }
  /* What is signed is a SET OF, where the message has [0]. */
  static const uint8_t set = 0x31;
  if (EVP_DigestInit_ex2(hash, sha256(), NULL) != 1 || EVP_DigestUpdate(hash, &set, 1) != 1 ||
      EVP_DigestUpdate(hash, signature.attributes.whole + 1, signature.attributes.whole_count - 1) != 1 || EVP_DigestFinal_ex(hash, sum, NULL) != 1) {
    return false;
  }
  return EVP_PKEY_verify(opening->verification, signature.value.content, signature.value.count, sum, sizeof(sum)) == 1 && is_fresh(signature.moment);
}

/* Whether a member of the JSON text has this value, quotes included. */
static bool has(const struct opening *opening, const char *member, const char *value) {
  const char *text = (const char *)opening->payment, *found = memmem(text, opening->payment_count, member, strlen(member));
  if (!found) return false;
  found += strlen(member);
  size_t rest = opening->payment_count - (size_t)(found - text);
  return rest > strlen(value) && memcmp(found, value, strlen(value)) == 0;
}

static bool is_as_expected(const struct opening *opening) {
  return has(opening, "\"currencyCode\":", "\"840\"") && has(opening, "\"transactionAmount\":", "1499") &&
         has(opening, "\"applicationPrimaryAccountNumber\":\"", token_pan);
}

static bool decrypt(struct opening *opening, const struct token *token, const uint8_t z[Z_SIZE]) {
  uint8_t key[32];
  opening->payment_count = token->data_count - TAG;
  return derive(opening->hash, z, opening->merchant->identifier_hash, 32, key) &&
         gcm_open(opening->cipher, key, iv, token->data, token->data_count, opening->payment) && is_as_expected(opening);
}

bool open_remembering(struct opening *opening, const struct token *token) {
  uint8_t z[Z_SIZE];
  return verify(opening, token) && memcmp(token->ephemeral, spki_p256, sizeof(spki_p256)) == 0 &&
         agree(&opening->agreement, token->ephemeral + sizeof(spki_p256), z) && decrypt(opening, token, z);
}

static bool verify_naively(struct opening *opening, const struct token *token) {
  const uint8_t *at = token->signature;
  CMS_ContentInfo *cms = d2i_CMS_ContentInfo(NULL, &at, (long)token->signature_count);
  BIO *content = BIO_new(BIO_s_mem());
  BIO_write(content, token->ephemeral, SPKI_P256);
  BIO_write(content, token->data, (int)token->data_count);
  BIO_write(content, token->transaction, 32);
  X509_STORE_set_purpose(opening->anchors, X509_PURPOSE_ANY);
  bool is_good = cms && CMS_verify(cms, NULL, opening->anchors, content, NULL, CMS_BINARY) == 1;
  BIO_free(content);
  CMS_ContentInfo_free(cms);
  return is_good;
}

bool open_naively(struct opening *opening, const struct token *token) {
  uint8_t z[Z_SIZE];
  const uint8_t *at = token->ephemeral;
  if (!verify_naively(opening, token)) return false;
  EVP_PKEY *peer = d2i_PUBKEY(NULL, &at, SPKI_P256);
  bool is_agreed = peer && agree_plainly(opening->merchant->key, peer, z);
  EVP_PKEY_free(peer);
  return is_agreed && decrypt(opening, token, z);
}
