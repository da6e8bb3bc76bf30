/* From a file to a key: PEM by the name of KIST KEY has a reference in base64. The first decoder takes it out, and writes it as a UTF8String, since OpenSSL carries only
 * DER from one decoder to the next; the second asks kistd for the key. */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/params.h>
#include <string.h>

/* A label has 128 bytes, a socket's path 107. */
#define REFERENCE_MOST 512
/* Tag and two bytes of length, X.690 8.1.3.5 */
#define DER_HEAD 4
#define UTF8_STRING 0x0c
/* Of a line that OpenSSL reads; what it decodes of one is shorter, also with what it kept of the line before. */
#define LINE_MOST 128
#define DECODED_MOST (REFERENCE_MOST + LINE_MOST)

static void *decoder_new(void *provider) { return provider; }
static void decoder_free(void *provider) { (void)provider; }

/* One block of PEM and no more, since others may follow it in the same file. Its bytes, or 0 for a block of another name or one that is broken. */
static size_t read_pem(struct provider *provider, OSSL_CORE_BIO *in, unsigned char text[DECODED_MOST]) {
  char line[LINE_MOST];
  int size, count = 0, more;
  bool is_ours = false;
  EVP_ENCODE_CTX *base64 = EVP_ENCODE_CTX_new();
  if (!base64) return 0;
  EVP_DecodeInit(base64);
  while ((size = provider->gets(in, line, sizeof line)) > 0 && strncmp(line, "-----END ", 9)) {
    if (!strncmp(line, "-----BEGIN ", 11))
      is_ours = !strncmp(line, "-----BEGIN KIST KEY-----", 24);
    else if (is_ours && count <= REFERENCE_MOST && EVP_DecodeUpdate(base64, text + count, &more, (unsigned char *)line, size) >= 0)
      count += more;
    else
      is_ours = false;
  }
  bool is_whole = is_ours && size > 0 && count <= REFERENCE_MOST && EVP_DecodeFinal(base64, text + count, &more) == 1;
  EVP_ENCODE_CTX_free(base64);
  return is_whole ? (size_t)count : 0;
}

/* What is not ours is left to other decoders: that is no error. */
static int decode_pem(void *provider, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
                      OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument) {
  (void)selection, (void)passphrase, (void)passphrase_argument;
  unsigned char der[DER_HEAD + DECODED_MOST];
  size_t count = read_pem(provider, in, der + DER_HEAD);
  if (!count) return 1;
  memcpy(der, (unsigned char[]){UTF8_STRING, 0x82, (unsigned char)(count >> 8), (unsigned char)count}, DER_HEAD);
  int object = OSSL_OBJECT_PKEY;
  OSSL_PARAM params[] = {
    OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &object),
    OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_DATA, der, DER_HEAD + count), OSSL_PARAM_construct_end(),
  };
  return callback(params, argument);
}

/* Such a UTF8String and nothing else, as text. */
static bool read_reference(struct provider *provider, OSSL_CORE_BIO *in, char text[REFERENCE_MOST + 1]) {
  unsigned char der[DER_HEAD + REFERENCE_MOST + 1];
  size_t count = 0, got;
  while (count < sizeof der && provider->read(in, der + count, sizeof der - count, &got) == 1 && got) count += got;
  if (count < DER_HEAD || count == sizeof der || der[0] != UTF8_STRING || der[1] != 0x82) return false;
  size_t size = (size_t)der[2] << 8 | der[3];
  if (size != count - DER_HEAD || memchr(der + DER_HEAD, 0, size)) return false;
  memcpy(text, der + DER_HEAD, size);
  text[size] = 0;
  return true;
}

/* A key of the other kind is left to the other decoder. */
static int decode(struct provider *provider, OSSL_CORE_BIO *in, const char *type, OSSL_CALLBACK *callback, void *argument) {
  char text[REFERENCE_MOST + 1];
  if (!read_reference(provider, in, text)) return 1;
  struct key *key = key_open(provider, text);
  if (!key) return 0;
  int is_taken = 1;
  if (EVP_PKEY_is_a(key->public, type)) {
    int object = OSSL_OBJECT_PKEY;
    OSSL_PARAM params[] = {
      OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &object),
      OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)(uintptr_t)type, 0),
      OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &key, sizeof key), OSSL_PARAM_construct_end(),
    };
    is_taken = callback(params, argument);
  }
  if (key) key_release(key);
  return is_taken;
}

static int decode_rsa(void *provider, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
                      OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument) {
  (void)selection, (void)passphrase, (void)passphrase_argument;
  return decode(provider, in, "RSA", callback, argument);
}

static int decode_ec(void *provider, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
                     OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument) {
  (void)selection, (void)passphrase, (void)passphrase_argument;
  return decode(provider, in, "EC", callback, argument);
}

/* A reference is to a private key; who asks for a public key or parameters alone is not answered from here. */
static int does_selection(void *provider, int selection) {
  (void)provider;
  return selection == 0 || selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
}

#define DECODER(name, function) \
  static const OSSL_DISPATCH name[] = { \
    {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))decoder_new}, {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))decoder_free}, \
    {OSSL_FUNC_DECODER_DOES_SELECTION, (void (*)(void))does_selection}, {OSSL_FUNC_DECODER_DECODE, (void (*)(void))function}, {0, NULL}}

DECODER(pem_functions, decode_pem);
DECODER(rsa_functions, decode_rsa);
DECODER(ec_functions, decode_ec);

const OSSL_ALGORITHM decoders[] = {
  {"DER", "provider=kist,input=pem", pem_functions, "references to keys in kistd, in PEM"},
  {"RSA:rsaEncryption", "provider=kist,input=der", rsa_functions, "references to RSA keys in kistd"},
  {"EC:id-ecPublicKey", "provider=kist,input=der", ec_functions, "references to EC keys in kistd"},
  {NULL, NULL, NULL, NULL},
};
