#include "rules.h"

#include "message.h"
#include "names.h"

/* Every number of enum kist_released_field; 18 is the signing time's place, and 19 is not used any more. */
static const uint32_t releasable = 0x33FFFE;

static bool are_releasable(uint32_t fields) { return (fields & ~releasable) == 0; }

static bool is_iv(struct kist_bytes iv) { return iv.count == 0 || iv.count == 12 || iv.count == 16; }

uint32_t kist_rule_rejection(const void *value) {
  const struct kist_rejection *rejection = value;
  if (!kist_stage_is_known(rejection->stage)) return 1;
  return rejection->released_field == 0 || are_releasable(KIST_RELEASE(rejection->released_field)) ? 0 : 3;
}

uint32_t kist_rule_open_payment_token(const void *value) {
  const struct kist_open_payment_token_request *request = value;
  if (!are_releasable(request->release)) return 2;
  return are_releasable(request->required) ? 0 : 6;
}

/* [OP-KDF-3] Info whole or in parts, not both. */
uint32_t kist_rule_kdf(const void *value) {
  const struct kist_kdf_request *request = value;
  const struct kist_other_info *parts = &request->other_info;
  size_t count = parts->algorithm_id.count + parts->party_u_info.count + parts->party_v_info.count + parts->supp_pub_info.count +
                 parts->supp_priv_info.count;
  return request->info.count == 0 || count == 0 ? 0 : 5;
}

uint32_t kist_rule_unseal(const void *value) {
  const struct kist_unseal_request *request = value;
  return is_iv(request->iv) ? 0 : 2;
}

/* [OP-MAC-1] The algorithm is present exactly if there is a handle. */
uint32_t kist_rule_mac(const void *value) {
  const struct kist_mac_request *request = value;
  return (request->handle.count == 0) == (request->algorithm == 0) ? 0 : 2;
}

uint32_t kist_rule_verify_mac(const void *value) {
  const struct kist_verify_mac_request *request = value;
  return (request->handle.count == 0) == (request->algorithm == 0) ? 0 : 2;
}

/* [OP-SURR-1] An envelope takes a transaction and a lifetime, a surrogate neither. */
uint32_t kist_rule_tokenise(const void *value) {
  const struct kist_tokenise_request *request = value;
  return (request->transaction_id.count == 0) == (request->lifetime == 0) ? 0 : 4;
}

uint32_t kist_rule_tokenised(const void *value) {
  const struct kist_tokenise_reply *reply = value;
  return (reply->surrogate.count == 0) != (reply->envelope.count == 0) ? 0 : 3;
}

uint32_t kist_rule_open_envelope(const void *value) {
  const struct kist_open_envelope_request *request = value;
  if (!are_releasable(request->release)) return 4;
  return are_releasable(request->required) ? 0 : 5;
}
