/* Opening a token again after a lost reply [OP-OPEN-11]. */
#include "client.h"

#include <sys/random.h>

bool kist_make_retry_key(uint8_t *key) { return getrandom(key, KIST_RETRY_KEY_SIZE, 0) == KIST_RETRY_KEY_SIZE; }

enum kist_result kist_open_payment_token_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_payment_token_request *request,
                                                  struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                                  struct kist_outcome *outcome) {
  if (!request || request->retry_key.count == 0) return KIST_E_REQUEST;
  struct kist_call_options options = kist_options_of_next_call(kist);
  enum kist_result lost = kist_open_payment_token(kist, key, request, reply, room, outcome);
  if (lost != KIST_E_DISCONNECTED && lost != KIST_E_TIMEOUT) return lost;
  kist_next_call(kist, &options);
  enum kist_result again = kist_open_payment_token(kist, key, request, reply, room, outcome);
  /* Not sent this time; the first may have been carried out. */
  return again == KIST_E_UNREACHABLE || again == KIST_E_ORDER ? lost : again;
}
