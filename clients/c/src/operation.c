#include "operation.h"

#define M(NAME) &kist_message_##NAME

/* PROTOCOL.md section 7. */
static const struct operation operations[] = {
    {KIST_OP_PING, KEY_NONE, NULL, NULL},
    {KIST_OP_DESCRIBE, KEY_NONE, NULL, M(describe_reply)},
    {KIST_OP_LIST_KEYS, KEY_NONE, M(list_keys_request), M(list_keys_reply)},
    {KIST_OP_DESCRIBE_KEY, KEY_REQUIRED, NULL, M(key_description)},
    {KIST_OP_RANDOM, KEY_NONE, M(random_request), M(random_reply)},
    {KIST_OP_WHO, KEY_NONE, NULL, M(who_reply)},
    {KIST_OP_AUDIT_DIGEST, KEY_NONE, M(audit_digest_request), M(audit_digest_reply)},
    {KIST_OP_READY, KEY_NONE, NULL, NULL},
    {KIST_OP_VERIFY_PAYMENT_TOKEN, KEY_OPTIONAL, M(verify_payment_token_request), M(verify_payment_token_reply)},
    {KIST_OP_OPEN_PAYMENT_TOKEN, KEY_REQUIRED, M(open_payment_token_request), M(open_payment_token_reply)},
    {KIST_OP_PROVISION_PASS, KEY_OPTIONAL, M(provision_pass_request), M(provision_pass_reply)},
    {KIST_OP_PROVISION_TRACE, KEY_NONE, M(provision_trace_request), M(provision_trace_reply)},
    {KIST_OP_SIGN_OTP, KEY_REQUIRED, M(sign_otp_request), M(sign_otp_reply)},
    {KIST_OP_VERIFY_OTP, KEY_REQUIRED, M(verify_otp_request), M(verify_otp_reply)},
    {KIST_OP_ECDH, KEY_REQUIRED, M(ecdh_request), M(ecdh_reply)},
    {KIST_OP_KDF, KEY_REQUIRED, M(kdf_request), M(kdf_reply)},
    {KIST_OP_SEAL, KEY_REQUIRED, M(seal_request), M(seal_reply)},
    {KIST_OP_UNSEAL, KEY_REQUIRED, M(unseal_request), M(unseal_reply)},
    {KIST_OP_SIGN, KEY_REQUIRED, M(sign_request), M(sign_reply)},
    {KIST_OP_VERIFY, KEY_REQUIRED, M(verify_request), NULL},
    {KIST_OP_MAC, KEY_REQUIRED, M(mac_request), M(mac_reply)},
    {KIST_OP_VERIFY_MAC, KEY_REQUIRED, M(verify_mac_request), NULL},
    {KIST_OP_UNWRAP, KEY_REQUIRED, M(unwrap_request), M(unwrap_reply)},
    {KIST_OP_RELEASE_HANDLE, KEY_REQUIRED, M(release_handle_request), NULL},
    {KIST_OP_TOKENISE, KEY_REQUIRED, M(tokenise_request), M(tokenise_reply)},
    {KIST_OP_DETOKENISE, KEY_REQUIRED, M(detokenise_request), M(detokenise_reply)},
    {KIST_OP_OPEN_ENVELOPE, KEY_REQUIRED, M(open_envelope_request), M(open_payment_token_reply)},
    {KIST_OP_STATUS, KEY_NONE, NULL, M(status_report)},
    {KIST_OP_UNLOCK, KEY_NONE, M(unlock_request), NULL},
    {KIST_OP_LOCK, KEY_NONE, NULL, NULL},
    {KIST_OP_IMPORT_KEY, KEY_NONE, M(import_key_request), M(key_description)},
};

const struct operation *kist_operation(unsigned opcode) {
  for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
    if (operations[i].opcode == opcode) return &operations[i];
  }
  return NULL;
}
