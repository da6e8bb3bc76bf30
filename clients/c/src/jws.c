/* JWS in compact serialisation (RFC 7515 §7.1) over kist_sign, and no more of JOSE. */
#include "client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* `alg` by scheme; ECDSA signatures are r || s (RFC 7518 §3.4). NULL where JWS has no name, so there is no `none`. */
static const char *algorithm(uint32_t scheme) {
  switch (scheme) {
  case KIST_ECDSA_P256_SHA256_FIXED: return "ES256";
  case KIST_ECDSA_P384_SHA384_FIXED: return "ES384";
  case KIST_RSA_PKCS1_SHA256: return "RS256";
  case KIST_RSA_PSS_SHA256: return "PS256";
  case KIST_ED25519: return "EdDSA";
  default: return NULL;
  }
}

/* A text that grows; bad for good once something did not fit or may not be there. */
struct text {
  char *data;
  size_t count, size;
  bool is_bad;
};

static void append(struct text *text, const char *added, size_t count) {
  if (text->is_bad || count > text->size - text->count) {
    text->is_bad = true;
    return;
  }
  memcpy(text->data + text->count, added, count);
  text->count += count;
}

static void append_string(struct text *text, const char *added) { append(text, added, strlen(added)); }

/* A member of the header, if it is there; its value is written as it is, so nothing that JSON escapes may be in it. */
static void append_member(struct text *text, const char *name, const char *value) {
  if (!value) return;
  for (const char *byte = value; *byte; byte++) {
    if (*byte < 0x20 || *byte > 0x7E || *byte == '"' || *byte == '\\') text->is_bad = true;
  }
  append_string(text, ",\"");
  append_string(text, name);
  append_string(text, "\":\"");
  append_string(text, value);
  append_string(text, "\"");
}

static void append_time(struct text *text, const char *name, uint64_t seconds) {
  if (!seconds) return;
  char member[48];
  snprintf(member, sizeof(member), ",\"%s\":%" PRIu64, name, seconds);
  append_string(text, member);
}

/* base64url without padding (RFC 4648 §5). */
static void append_encoded(struct text *text, const uint8_t *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (size_t i = 0; i < count; i += 3) {
    size_t left = count - i;
    uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    char four[] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63], digits[group & 63]};
    append(text, four, left > 2 ? 4 : left + 1);
  }
}

size_t kist_jws_input(uint32_t scheme, const struct kist_jws_header *header, const uint8_t *payload, size_t payload_size, char *out, size_t size) {
  const char *name = algorithm(scheme);
  if (!name) return 0;
  char json[KIST_JWS_HEADER_MOST];
  struct text members = {json, 0, sizeof(json), false}, input = {out, 0, size, false};
  append_string(&members, "{\"alg\":\"");
  append_string(&members, name);
  append_string(&members, "\"");
  if (header) {
    append_member(&members, "kid", header->kid);
    append_member(&members, "typ", header->typ);
    append_member(&members, "cty", header->cty);
    append_time(&members, "iat", header->iat);
    append_time(&members, "exp", header->exp);
    append_time(&members, "nbf", header->nbf);
    append_member(&members, "iss", header->iss);
    append_member(&members, "aud", header->aud);
  }
  append_string(&members, "}");
  append_encoded(&input, (const uint8_t *)json, members.count);
  append_string(&input, ".");
  append_encoded(&input, payload, payload_size);
  return members.is_bad || input.is_bad ? 0 : input.count;
}

size_t kist_jws_compact(char *input, size_t count, size_t size, const uint8_t *signature, size_t signature_size) {
  struct text jws = {input, count, size, count == 0 || count > size};
  append_string(&jws, ".");
  append_encoded(&jws, signature, signature_size);
  return jws.is_bad ? 0 : jws.count;
}
