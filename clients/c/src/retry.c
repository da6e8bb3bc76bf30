/* Opening a token or an envelope again after a lost reply [OP-OPEN-11] [OP-ENV-7]. */
#include "client.h"

#include <sys/random.h>

bool kist_make_retry_key(uint8_t *key) { return getrandom(key, KIST_RETRY_KEY_SIZE, 0) == KIST_RETRY_KEY_SIZE; }

/* What could meet any request says nothing of whether the first was carried out. A busy daemon that names no wait takes no more connections [WIRE-24]. */
static bool is_about_daemon(enum kist_result result, const struct kist_outcome *outcome) {
  return result == KIST_E_UNREACHABLE || result == KIST_E_ORDER || result == KIST_LOCKED || result == KIST_AUDIT_UNAVAILABLE ||
         (result == KIST_BUSY && outcome->retry_after_ms == 0);
}

static enum kist_result open_retrying(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request,
                                      const struct kist_bytes *retry_key, struct kist_open_payment_token_reply *reply,
                                      struct kist_buffer room, struct kist_outcome *outcome) {
  struct kist_outcome ignored, second;
  if (!outcome) outcome = &ignored;
  if (retry_key && retry_key->count == 0) return kist_refuse_call(kist, "retry_key is missing", outcome);
  struct kist_call_options options = kist_options_of_next_call(kist);
  enum kist_result lost = kist_call(kist, operation, key, request, reply, room, outcome);
  if (lost != KIST_E_DISCONNECTED && lost != KIST_E_TIMEOUT) return lost;
  kist_next_call(kist, &options);
  enum kist_result again = kist_call(kist, operation, key, request, reply, room, &second);
  if (is_about_daemon(again, &second)) return lost;
  *outcome = second;
  return again;
}

enum kist_result kist_open_payment_token_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_payment_token_request *request,
                                                  struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                                  struct kist_outcome *outcome) {
  return open_retrying(kist, KIST_OP_OPEN_PAYMENT_TOKEN, key, request, request ? &request->retry_key : NULL, reply, room, outcome);
}

enum kist_result kist_open_envelope_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_envelope_request *request,
                                             struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                             struct kist_outcome *outcome) {
  return open_retrying(kist, KIST_OP_OPEN_ENVELOPE, key, request, request ? &request->retry_key : NULL, reply, room, outcome);
}
