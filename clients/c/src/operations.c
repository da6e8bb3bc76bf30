/* The operations, each as its typed function. Written by proto/generate.py from kist.proto: do not edit. */
#include "client.h"

/* For replies that have only numbers, or nothing. */
enum { NUMBERS_SIZE = 16 };

enum kist_result kist_ping(struct kist *kist, struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_PING, NULL, NULL, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_describe(struct kist *kist, struct kist_describe_reply *reply,
                               struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_DESCRIBE, NULL, NULL, reply, room, outcome);
}

enum kist_result kist_list_keys(struct kist *kist, const struct kist_list_keys_request *request,
                                struct kist_list_keys_reply *reply, struct kist_buffer room,
                                struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_LIST_KEYS, NULL, request, reply, room, outcome);
}

enum kist_result kist_describe_key(struct kist *kist, const uint8_t *key,
                                   struct kist_key_description *reply, struct kist_buffer room,
                                   struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_DESCRIBE_KEY, key, NULL, reply, room, outcome);
}

enum kist_result kist_random(struct kist *kist, const struct kist_random_request *request,
                             struct kist_random_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_RANDOM, NULL, request, reply, room, outcome);
}

enum kist_result kist_who(struct kist *kist, struct kist_who_reply *reply, struct kist_buffer room,
                          struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_WHO, NULL, NULL, reply, room, outcome);
}

enum kist_result kist_audit_digest(struct kist *kist,
                                   const struct kist_audit_digest_request *request,
                                   struct kist_audit_digest_reply *reply, struct kist_buffer room,
                                   struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_AUDIT_DIGEST, NULL, request, reply, room, outcome);
}

enum kist_result kist_ready(struct kist *kist, struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_READY, NULL, NULL, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_verify_payment_token(struct kist *kist, const uint8_t *key,
                                           const struct kist_verify_payment_token_request *request,
                                           struct kist_verify_payment_token_reply *reply,
                                           struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_VERIFY_PAYMENT_TOKEN, key, request, reply, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_open_payment_token(struct kist *kist, const uint8_t *key,
                                         const struct kist_open_payment_token_request *request,
                                         struct kist_open_payment_token_reply *reply,
                                         struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_OPEN_PAYMENT_TOKEN, key, request, reply, room, outcome);
}

enum kist_result kist_provision_pass(struct kist *kist, const uint8_t *key,
                                     const struct kist_provision_pass_request *request,
                                     struct kist_provision_pass_reply *reply,
                                     struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_PROVISION_PASS, key, request, reply, room, outcome);
}

enum kist_result kist_provision_trace(struct kist *kist,
                                      const struct kist_provision_trace_request *request,
                                      struct kist_provision_trace_reply *reply,
                                      struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_PROVISION_TRACE, NULL, request, reply, room, outcome);
}

enum kist_result kist_sign_otp(struct kist *kist, const uint8_t *key,
                               const struct kist_sign_otp_request *request,
                               struct kist_sign_otp_reply *reply, struct kist_buffer room,
                               struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_SIGN_OTP, key, request, reply, room, outcome);
}

enum kist_result kist_verify_otp(struct kist *kist, const uint8_t *key,
                                 const struct kist_verify_otp_request *request,
                                 struct kist_verify_otp_reply *reply, struct kist_outcome *outcome)
                                 {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_VERIFY_OTP, key, request, reply, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_enrol_authenticator(struct kist *kist, const uint8_t *key,
                                          const struct kist_enrol_authenticator_request *request,
                                          struct kist_enrol_authenticator_reply *reply,
                                          struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_ENROL_AUTHENTICATOR, key, request, reply, room, outcome);
}

enum kist_result kist_ecdh(struct kist *kist, const uint8_t *key,
                           const struct kist_ecdh_request *request, struct kist_ecdh_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_ECDH, key, request, reply, room, outcome);
}

enum kist_result kist_kdf(struct kist *kist, const uint8_t *key,
                          const struct kist_kdf_request *request, struct kist_kdf_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_KDF, key, request, reply, room, outcome);
}

enum kist_result kist_seal(struct kist *kist, const uint8_t *key,
                           const struct kist_seal_request *request, struct kist_seal_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_SEAL, key, request, reply, room, outcome);
}

enum kist_result kist_unseal(struct kist *kist, const uint8_t *key,
                             const struct kist_unseal_request *request,
                             struct kist_unseal_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_UNSEAL, key, request, reply, room, outcome);
}

enum kist_result kist_sign(struct kist *kist, const uint8_t *key,
                           const struct kist_sign_request *request, struct kist_sign_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_SIGN, key, request, reply, room, outcome);
}

enum kist_result kist_verify(struct kist *kist, const uint8_t *key,
                             const struct kist_verify_request *request,
                             struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_VERIFY, key, request, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_mac(struct kist *kist, const uint8_t *key,
                          const struct kist_mac_request *request, struct kist_mac_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_MAC, key, request, reply, room, outcome);
}

enum kist_result kist_verify_mac(struct kist *kist, const uint8_t *key,
                                 const struct kist_verify_mac_request *request,
                                 struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_VERIFY_MAC, key, request, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_unwrap(struct kist *kist, const uint8_t *key,
                             const struct kist_unwrap_request *request,
                             struct kist_unwrap_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_UNWRAP, key, request, reply, room, outcome);
}

enum kist_result kist_release_handle(struct kist *kist, const uint8_t *key,
                                     const struct kist_release_handle_request *request,
                                     struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_RELEASE_HANDLE, key, request, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_tokenise(struct kist *kist, const uint8_t *key,
                               const struct kist_tokenise_request *request,
                               struct kist_tokenise_reply *reply, struct kist_buffer room,
                               struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_TOKENISE, key, request, reply, room, outcome);
}

enum kist_result kist_detokenise(struct kist *kist, const uint8_t *key,
                                 const struct kist_detokenise_request *request,
                                 struct kist_detokenise_reply *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_DETOKENISE, key, request, reply, room, outcome);
}

enum kist_result kist_open_envelope(struct kist *kist, const uint8_t *key,
                                    const struct kist_open_envelope_request *request,
                                    struct kist_open_payment_token_reply *reply,
                                    struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_OPEN_ENVELOPE, key, request, reply, room, outcome);
}

enum kist_result kist_status(struct kist *kist, struct kist_status_report *reply,
                             struct kist_buffer room, struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_STATUS, NULL, NULL, reply, room, outcome);
}

enum kist_result kist_unlock(struct kist *kist, const struct kist_unlock_request *request,
                             struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_UNLOCK, NULL, request, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_lock(struct kist *kist, struct kist_outcome *outcome) {
  uint8_t numbers[NUMBERS_SIZE];
  return kist_call(kist, KIST_OP_LOCK, NULL, NULL, NULL, KIST_ROOM(numbers), outcome);
}

enum kist_result kist_import_key(struct kist *kist, const struct kist_import_key_request *request,
                                 struct kist_key_description *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome) {
  return kist_call(kist, KIST_OP_IMPORT_KEY, NULL, request, reply, room, outcome);
}
