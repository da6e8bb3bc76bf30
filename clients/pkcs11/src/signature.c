/* What kistd is asked to sign, to make a code of, and to check. */
#include "module.h"

#include <digest.h>
#include <string.h>

/* The digest of a DigestInfo (RFC 8017 §9.2, note 1), if kistd signs such a one. */
static bool read_digest_info(struct kist_bytes *message, enum hash *hash) {
  uint8_t head[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
  if (!message->data) return false;
  for (*hash = HASH_SHA256; *hash <= HASH_SHA512; (*hash)++) {
    size_t size = hash_size(*hash);
    head[1] = (uint8_t)(17 + size);
    head[14] = (uint8_t)*hash;
    head[18] = (uint8_t)size;
    if (message->count != sizeof head + size || memcmp(message->data, head, sizeof head)) continue;
    *message = (struct kist_bytes){message->data + sizeof head, size};
    return true;
  }
  return false;
}

/* What is signed, and how. */
struct work {
  uint32_t scheme;
  bool is_digest;
  struct kist_bytes message;
  uint8_t room[64];
};

/* CKR_DATA_… if kistd signs no such data by this mechanism. */
static CK_RV prepare(struct operation *operation, struct kist_bytes data, struct work *work) {
  const struct mechanism *mechanism = operation->mechanism;
  *work = (struct work){.is_digest = operation->kind != KIND_ED25519, .message = data};
  if (mechanism->input == INPUT_HASHED) work->message = (struct kist_bytes){work->room, hash_end(&operation->hashing, work->room)};
  enum hash hash = operation->hash;
  switch (operation->kind) {
  case KIND_P256:
  case KIND_P384:
    if (!work->message.count) return CKR_DATA_LEN_RANGE;
    work->scheme = operation->kind == KIND_P256 ? KIST_ECDSA_P256_SHA256_FIXED : KIST_ECDSA_P384_SHA384_FIXED;
    work->message = fitted(work->message, operation->bits / 8, work->room);
    return CKR_OK;
  case KIND_RSA:
    if (mechanism->input == INPUT_DIGEST_INFO && !read_digest_info(&work->message, &hash))
      // More than that no padding leaves room for (RFC 8017 §9.2).
      return work->message.count > operation->bits / 8 - 11 ? CKR_DATA_LEN_RANGE : CKR_DATA_INVALID;
    if (work->message.count != hash_size(hash)) return CKR_DATA_LEN_RANGE;
    work->scheme = rsa_scheme(work->message.count, mechanism->is_pss);
    return CKR_OK;
  case KIND_ED25519: work->scheme = KIST_ED25519; return CKR_OK;
  default: return CKR_OK;
  }
}

size_t signature_size(const struct operation *operation) {
  if (operation->mechanism->flags & CKF_DIGEST) return hash_size(operation->mechanism->hash);
  if (operation->mechanism->is_mac) return operation->mechanism->type == CKM_AES_CMAC ? 16 : hash_size(operation->mechanism->hash);
  if (operation->kind == KIND_ED25519) return 64;
  return operation->kind == KIND_RSA ? operation->bits / 8 : operation->bits / 4;
}

/* With a handle the request says which code; a stored key says it itself. */
static uint32_t code_of(const struct operation *operation) {
  if (!operation->has_handle) return 0;
  switch (operation->mechanism->type) {
  case CKM_SHA256_HMAC: return KIST_HMAC_SHA256;
  case CKM_SHA384_HMAC: return KIST_HMAC_SHA384;
  case CKM_SHA512_HMAC: return KIST_HMAC_SHA512;
  default: return KIST_AES_CMAC;
  }
}

static struct kist_bytes handle_of(struct operation *operation) {
  return operation->has_handle ? (struct kist_bytes){operation->handle, sizeof operation->handle} : (struct kist_bytes){0};
}

static CK_RV answer_of(const struct operation *operation, const char *tried, enum kist_result answer, const struct kist_outcome *outcome) {
  CK_RV result = refusal(tried, answer, outcome);
  if (!operation->has_handle) return result;
  // Nobody knew how long it was when it was unwrapped.
  if (answer == KIST_REJECTED) return CKR_KEY_SIZE_RANGE;
  // A handle that is over looks like one that never was.
  return answer == KIST_DENIED ? CKR_KEY_HANDLE_INVALID : result;
}

CK_RV signature_make(struct operation *operation, struct kist_bytes data, uint8_t *out, CK_ULONG *count) {
  struct work work;
  CK_RV result = prepare(operation, data, &work);
  if (result != CKR_OK) return result;
  uint8_t room[SIGNATURE_MOST + 64];
  struct kist_bytes made;
  struct kist_outcome outcome;
  enum kist_result answer;
  struct kist *kist = operation->connection->kist;
  if (operation->mechanism->is_mac) {
    struct kist_mac_request request = {.handle = handle_of(operation), .algorithm = code_of(operation), .message = work.message};
    struct kist_mac_reply reply = {0};
    answer = kist_mac(kist, operation->key, &request, &reply, KIST_ROOM(room), &outcome);
    made = reply.mac;
  } else {
    struct kist_sign_request request = {.scheme = work.scheme, .digested = work.is_digest, .message = work.message};
    struct kist_sign_reply reply = {0};
    answer = kist_sign(kist, operation->key, &request, &reply, KIST_ROOM(room), &outcome);
    made = reply.signature;
  }
  if (answer != KIST_OK) return answer_of(operation, operation->mechanism->is_mac ? "mac" : "sign", answer, &outcome);
  if (made.count > *count) return CKR_DEVICE_ERROR;
  memcpy(out, made.data, made.count);
  *count = made.count;
  return CKR_OK;
}

CK_RV signature_check(struct operation *operation, struct kist_bytes data, const uint8_t *signature, CK_ULONG count) {
  struct work work;
  CK_RV result = prepare(operation, data, &work);
  if (result != CKR_OK) return result;
  struct kist_outcome outcome;
  enum kist_result answer;
  struct kist *kist = operation->connection->kist;
  if (operation->mechanism->is_mac) {
    struct kist_verify_mac_request request = {
      .handle = handle_of(operation), .algorithm = code_of(operation), .message = work.message, .mac = {signature, count}};
    answer = kist_verify_mac(kist, operation->key, &request, &outcome);
  } else {
    struct kist_verify_request request = {.scheme = work.scheme, .digested = work.is_digest, .message = work.message, .signature = {signature, count}};
    answer = kist_verify(kist, operation->key, &request, &outcome);
  }
  if (answer == KIST_REJECTED) return CKR_SIGNATURE_INVALID;
  return answer == KIST_OK ? CKR_OK : answer_of(operation, operation->mechanism->is_mac ? "verify-mac" : "verify", answer, &outcome);
}
