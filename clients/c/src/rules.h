/* Rules between the fields of one message; each function returns the number of the field at fault, else 0. */
#ifndef KIST_RULES_H
#define KIST_RULES_H

#include <stdint.h>

uint32_t kist_rule_rejection(const void *value);
uint32_t kist_rule_open_payment_token(const void *value);
uint32_t kist_rule_kdf(const void *value);
uint32_t kist_rule_unseal(const void *value);
uint32_t kist_rule_mac(const void *value);
uint32_t kist_rule_verify_mac(const void *value);
uint32_t kist_rule_tokenise(const void *value);
uint32_t kist_rule_tokenised(const void *value);
uint32_t kist_rule_open_envelope(const void *value);

#endif
