#include "mint.h"

#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

enum { SEQUENCE = 0x30, SET = 0x31, OCTETS = 0x04, CONTEXT = 0xA0, UTC_TIME = 0x17 };

#define BLOB(array) ((struct blob){(array), sizeof(array)})
#define PARTS(...) (struct blob[]){__VA_ARGS__}, sizeof((struct blob[]){__VA_ARGS__}) / sizeof(struct blob)

const char token_pan[] = "4109370251004320";
const char token_payment[] =
    "{\"applicationExpirationDate\":\"491231\",\"applicationPrimaryAccountNumber\":\"4109370251004320\",\"currencyCode\":\"840\","
    "\"deviceManufacturerIdentifier\":\"040010030273\",\"paymentData\":{\"eciIndicator\":\"5\",\"onlinePaymentCryptogram\":"
    "\"Af9x/QwAA/DjmU65oyc1MAABAAA=\"},\"paymentDataType\":\"3DSecure\",\"transactionAmount\":1499}";

/* SubjectPublicKeyInfo of P-256 up to the point. */
const uint8_t spki_p256[SPKI_P256 - POINT] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
                                              0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};

static uint8_t version_one[] = {0x02, 0x01, 0x01};
static uint8_t sha256_algorithm[] = {0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01};
static uint8_t ecdsa_with_sha256[] = {0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02};
static uint8_t signed_data[] = {0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02};
static uint8_t no_content[] = {0x30, 0x0B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01};
/* The three signed attributes, in the order of a SET OF in DER; only the last two vary. */
static uint8_t content_type[] = {0x30, 0x18, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03,
                                 0x31, 0x0B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01};
static const uint8_t signing_time[] = {0x30, 0x1C, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x05, 0x31, 0x0F, UTC_TIME, 0x0D};
static const uint8_t message_digest[] = {0x30, 0x2F, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04, 0x31, 0x22, OCTETS, 0x20};

size_t der(uint8_t *out, uint8_t tag, const uint8_t *content, size_t count) {
  size_t header = count < 0x80 ? 2 : count < 0x100 ? 3 : 4;
  memmove(out + header, content, count);
  out[0] = tag;
  out[1] = (uint8_t)(header == 2 ? count : header == 3 ? 0x81 : 0x82);
  if (header == 3) out[2] = (uint8_t)count;
  if (header == 4) {
    out[2] = (uint8_t)(count >> 8);
    out[3] = (uint8_t)count;
  }
  return header + count;
}

size_t der_of(uint8_t *out, uint8_t tag, const struct blob *parts, size_t count) {
  uint8_t content[TOKEN_SIGNATURE];
  size_t written = 0;
  for (size_t i = 0; i < count; i++) {
    if (written + parts[i].count > sizeof(content)) fail("a signature is too large");
    memcpy(content + written, parts[i].data, parts[i].count);
    written += parts[i].count;
  }
  return der(out, tag, content, written);
}

static struct blob kept(const uint8_t *data, size_t count) {
  struct blob blob = {malloc(count), count};
  if (!blob.data) fail("no memory");
  memcpy(blob.data, data, count);
  return blob;
}

/* The merchant's identifier as its certificate has it: 64 hexadecimal digits of its SHA-256. */
static void identifier_of(X509 *certificate, uint8_t hash[32]) {
  ASN1_OBJECT *type = OBJ_txt2obj("1.2.840.113635.100.6.32", 1);
  int index = X509_get_ext_by_OBJ(certificate, type, -1);
  ASN1_OBJECT_free(type);
  if (index < 0) fail("the merchant's certificate names no merchant");
  const ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(X509_get_ext(certificate, index));
  char digits[65] = {0};
  size_t count = 0;
  if (ASN1_STRING_length(value) < 64) fail("the merchant's identifier is too short");
  memcpy(digits, ASN1_STRING_get0_data(value) + ASN1_STRING_length(value) - 64, 64);
  if (OPENSSL_hexstr2buf_ex(hash, 32, &count, digits, 0) != 1) fail("the merchant's identifier is not hexadecimal");
}

void merchant_read(struct merchant *merchant, const char *folder) {
  uint8_t spki[SPKI_P256], name[512], serial[64], *at;
  *merchant = (struct merchant){
      .key = read_key(folder, "sandbox-processing-ec.key"),
      .leaf_key = read_key(folder, "leaf-ec.key"),
      .leaf = read_certificate(folder, "leaf-ec.cer"),
      .intermediate = read_certificate(folder, "intermediate.cer"),
      .root = read_certificate(folder, "root.cer"),
  };
  point_of(merchant->key, merchant->point);
  memcpy(spki, spki_p256, sizeof(spki_p256));
  memcpy(spki + sizeof(spki_p256), merchant->point, POINT);
  digest(spki, sizeof(spki), merchant->key_hash);
  X509 *own = read_certificate(folder, "sandbox-processing-ec.cer");
  identifier_of(own, merchant->identifier_hash);
  X509_free(own);

  struct blob leaf = read_file(folder, "leaf-ec.cer"), intermediate = read_file(folder, "intermediate.cer");
  uint8_t both[TOKEN_SIGNATURE];
  if (leaf.count + intermediate.count > sizeof(both)) fail("the certificates are too large");
  memcpy(both, leaf.data, leaf.count);
  memcpy(both + leaf.count, intermediate.data, intermediate.count);
  merchant->certificates = kept(both, leaf.count + intermediate.count);
  free(leaf.data);
  free(intermediate.data);

  at = name;
  size_t name_count = (size_t)i2d_X509_NAME(X509_get_issuer_name(merchant->leaf), &at);
  at = serial;
  size_t serial_count = (size_t)i2d_ASN1_INTEGER(X509_get_serialNumber(merchant->leaf), &at);
  uint8_t signer[1024];
  merchant->signer = kept(signer, der_of(signer, SEQUENCE, PARTS({name, name_count}, {serial, serial_count})));
}

/* CMS SignedData, RFC 5652, over the token's parts. */
static void sign(const struct merchant *merchant, struct token *token) {
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  uint8_t sum[32];
  EVP_DigestInit_ex2(hash, sha256(), NULL);
  EVP_DigestUpdate(hash, token->ephemeral, SPKI_P256);
  EVP_DigestUpdate(hash, token->data, token->data_count);
  EVP_DigestUpdate(hash, token->transaction, 32);
  EVP_DigestFinal_ex(hash, sum, NULL);
  EVP_MD_CTX_free(hash);

  uint8_t moment[16], attributes[256], to_sign[300], signature[80];
  time_t now = time(NULL);
  struct tm fields;
  gmtime_r(&now, &fields);
  strftime((char *)moment, sizeof(moment), "%y%m%d%H%M%SZ", &fields);
  size_t count = 0;
  memcpy(attributes, content_type, sizeof(content_type));
  count += sizeof(content_type);
  memcpy(attributes + count, signing_time, sizeof(signing_time));
  count += sizeof(signing_time);
  memcpy(attributes + count, moment, 13);
  count += 13;
  memcpy(attributes + count, message_digest, sizeof(message_digest));
  count += sizeof(message_digest);
  memcpy(attributes + count, sum, 32);
  count += 32;
  size_t to_sign_count = der(to_sign, SET, attributes, count), signature_count = sizeof(signature);
  digest(to_sign, to_sign_count, sum);
  EVP_PKEY_CTX *signing = EVP_PKEY_CTX_new_from_pkey(NULL, merchant->leaf_key, NULL);
  if (EVP_PKEY_sign_init(signing) != 1 || EVP_PKEY_sign(signing, signature, &signature_count, sum, sizeof(sum)) != 1) fail("signing failed");
  EVP_PKEY_CTX_free(signing);

  uint8_t a[TOKEN_SIGNATURE], b[TOKEN_SIGNATURE], c[TOKEN_SIGNATURE];
  size_t attributes_count = der(to_sign, CONTEXT, attributes, count);
  size_t signature_element = der(b, OCTETS, signature, signature_count);
  size_t info = der_of(a, SEQUENCE,
                       PARTS(BLOB(version_one), merchant->signer, BLOB(sha256_algorithm), {to_sign, attributes_count}, BLOB(ecdsa_with_sha256),
                             {b, signature_element}));
  size_t infos = der(a, SET, a, info), algorithms = der(b, SET, sha256_algorithm, sizeof(sha256_algorithm));
  size_t certificates = der(c, CONTEXT, merchant->certificates.data, merchant->certificates.count);
  size_t whole = der_of(a, SEQUENCE, PARTS(BLOB(version_one), {b, algorithms}, BLOB(no_content), {c, certificates}, {a, infos}));
  whole = der(a, CONTEXT, a, whole);
  token->signature_count = der_of(token->signature, SEQUENCE, PARTS(BLOB(signed_data), {a, whole}));
}

void mint(const struct merchant *merchant, struct token *token) {
  static const uint8_t iv[16];
  EVP_PKEY *ephemeral = make_p256();
  uint8_t z[Z_SIZE], key[32];
  struct agreement agreement;
  if (!ephemeral || !agreement_make(&agreement, ephemeral) || !agree(&agreement, merchant->point, z)) fail("minting failed");
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  EVP_CIPHER_CTX *cipher = gcm_make(sizeof(iv));
  size_t count = sizeof(token_payment) - 1;
  if (!derive(hash, z, merchant->identifier_hash, 32, key) || !gcm_seal(cipher, key, iv, (const uint8_t *)token_payment, count, token->data)) {
    fail("minting failed");
  }
  token->data_count = count + TAG;
  memcpy(token->ephemeral, spki_p256, sizeof(spki_p256));
  point_of(ephemeral, token->ephemeral + sizeof(spki_p256));
  RAND_bytes(token->transaction, sizeof(token->transaction));
  sign(merchant, token);
  EVP_CIPHER_CTX_free(cipher);
  EVP_MD_CTX_free(hash);
  EVP_PKEY_free(agreement.peer);
  EVP_PKEY_CTX_free(agreement.context);
  EVP_PKEY_free(ephemeral);
}
