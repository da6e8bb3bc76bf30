/*
 * Every operation of libkist against a real daemon; python/tests/test_c.py starts it, names its keys in the environment
 * (KIST_TEST_NAME, hexadecimal), and kills and restarts it on the words of `live_test killed`.
 *
 * usage: live_test operations | refused | killed
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "kist.h"

enum { NAMED_MOST = 128 * 1024 };

static struct kist *kist;
static uint8_t room[KIST_REPLY_MOST];
static struct kist_outcome outcome;

#define OK(call)                                                                                     \
  do {                                                                                               \
    enum kist_result result_ = (call);                                                               \
    CHECK(result_ == KIST_OK, "%s at %s", kist_result_name(result_), kist_stage_name(outcome.stage)); \
  } while (0)
#define IS(expected, call)                                                                       \
  do {                                                                                           \
    enum kist_result result_ = (call);                                                           \
    CHECK(result_ == (expected), "%s at %s", kist_result_name(result_), kist_stage_name(outcome.stage)); \
  } while (0)

/* What the environment names, in memory of its own until the program ends. */
static struct kist_bytes named(const char *name) {
  static uint8_t memory[NAMED_MOST];
  static size_t used;
  char variable[64];
  snprintf(variable, sizeof(variable), "KIST_TEST_%s", name);
  const char *hex = getenv(variable);
  if (!hex) {
    fprintf(stderr, "live_test: %s is not set\n", variable);
    exit(64);
  }
  struct kist_bytes value = {memory + used, 0};
  for (unsigned byte; used < sizeof(memory) && sscanf(hex + 2 * value.count, "%2x", &byte) == 1; value.count++) memory[used++] = (uint8_t)byte;
  return value;
}

static const uint8_t *key(const char *name) { return named(name).data; }

static bool is(struct kist_bytes value, const char *text) {
  return value.count == strlen(text) && memcmp(value.data, text, value.count) == 0;
}

/* Keeps a reply's value beyond the next call. */
static struct kist_bytes keep(struct kist_bytes value, uint8_t *place) {
  memcpy(place, value.data, value.count);
  return (struct kist_bytes){place, value.count};
}

static void general(void) {
  static struct kist_describe_reply description;
  static struct kist_list_keys_reply keys;
  struct kist_key_description one;
  struct kist_random_reply drawn;
  OK(kist_ping(kist, &outcome));
  CHECK(outcome.audit_sequence == KIST_UNAUDITED, "a ping has no record");
  OK(kist_ready(kist, &outcome));
  CHECK(outcome.audit_sequence == KIST_UNAUDITED, "nor has this");
  OK(kist_describe(kist, &description, KIST_ROOM(room), &outcome));
  CHECK(description.operations_count >= 29 && description.rehearsal && description.wire_version == 1, "%zu", description.operations_count);
  OK(kist_list_keys(kist, &(struct kist_list_keys_request){.prefix = KIST_TEXT("test/")}, &keys, KIST_ROOM(room), &outcome));
  CHECK(keys.keys_count == 10 && !keys.more && is(keys.keys[0].label, "test/agreement"), "%zu keys", keys.keys_count);
  uint8_t found[KIST_KEY_ID_SIZE];
  OK(kist_find_key(kist, "test/hotp", found, KIST_ROOM(room), &outcome));
  CHECK(memcmp(found, key("HOTP"), sizeof(found)) == 0, "another key");
  IS(KIST_E_SEVERAL_KEYS, kist_find_key(kist, "test/*", found, KIST_ROOM(room), &outcome));
  IS(KIST_E_NO_KEY, kist_find_key(kist, "test/none", found, KIST_ROOM(room), &outcome));
  IS(KIST_REJECTED, kist_find_key(kist, "no pattern", found, KIST_ROOM(room), &outcome));
  kist_next_call(kist, &(struct kist_call_options){.request_id = UINT64_MAX, .timeout_ms = 20000});
  OK(kist_ping(kist, &outcome));
  CHECK(outcome.request_id == UINT64_MAX, "another request");
  OK(kist_describe_key(kist, key("HOTP"), &one, KIST_ROOM(room), &outcome));
  CHECK(is(one.role, "otp-hotp") && one.otp.digits == 6 && one.otp.window.present && one.otp.window.value == 3, "another key");
  OK(kist_random(kist, &(struct kist_random_request){.count = 1024}, &drawn, KIST_ROOM(room), &outcome));
  CHECK(drawn.random.count == 1024 && outcome.audit_sequence != KIST_UNAUDITED, "%zu bytes", drawn.random.count);
  static struct kist_who_reply who;
  OK(kist_who(kist, &who, KIST_ROOM(room), &outcome));
  struct kist_audit_digest_request asked = {.field = KIST_DIGEST_PAN, .value = KIST_TEXT("4109370251004320")};
  struct kist_audit_digest_reply digest;
  CHECK(who.uid == getuid() && who.rights_count > 0 && !who.more, "%u, %zu rights", who.uid, who.rights_count);
  OK(kist_audit_digest(kist, &asked, &digest, KIST_ROOM(room), &outcome));
  CHECK(digest.digest.count == 76 && outcome.audit_sequence != KIST_UNAUDITED, "%zu bytes", digest.digest.count);
}

static struct kist_payment_token token(void) {
  return (struct kist_payment_token){
      .version = KIST_EC_V1,
      .data = named("TOKEN_DATA"),
      .signature = named("TOKEN_SIGNATURE"),
      .ephemeral_public_key = named("TOKEN_EPHEMERAL"),
      .public_key_hash = named("TOKEN_HASH"),
      .transaction_id = named("TOKEN_TRANSACTION"),
  };
}

static void tokens(void) {
  struct kist_verify_payment_token_request verify = {.token = token()};
  struct kist_verify_payment_token_reply verified;
  struct kist_open_payment_token_request open = {
      .token = token(),
      .release = KIST_RELEASE(KIST_DPAN) | KIST_RELEASE(KIST_LAST4) | KIST_RELEASE(KIST_AMOUNT),
      .expected_currency = KIST_TEXT("840"),
      .expected_amount = {.present = true, .value = 1499},
  };
  struct kist_open_payment_token_reply opened;
  open.required = KIST_RELEASE(KIST_LAST4) | KIST_RELEASE(KIST_SURROGATE);
  IS(KIST_REJECTED, kist_open_payment_token(kist, NULL, &open, &opened, KIST_ROOM(room), &outcome));
  CHECK(strcmp(kist_stage_name(outcome.stage), "not-released") == 0 && outcome.released_field == KIST_SURROGATE, "%u", outcome.released_field);
  open.required = KIST_RELEASE(KIST_LAST4) | KIST_RELEASE(KIST_AMOUNT);
  OK(kist_verify_payment_token(kist, NULL, &verify, &verified, &outcome));
  CHECK(verified.signing_time > 1700000000, "%llu", (unsigned long long)verified.signing_time);
  OK(kist_open_payment_token(kist, NULL, &open, &opened, KIST_ROOM(room), &outcome));
  CHECK(is(opened.dpan, "4109370251004320") && is(opened.last4, "4320"), "another number");
  CHECK(opened.amount.present && opened.amount.value == 1499 && opened.cryptogram.count == 0, "another amount");
  IS(KIST_REJECTED, kist_open_payment_token(kist, NULL, &open, &opened, KIST_ROOM(room), &outcome));
}

static void passes(void) {
  struct kist_provision_pass_request request = {
      .scheme = KIST_EV_ECC_V2,
      .certificates = {named("LEAF"), named("INTERMEDIATE")},
      .certificates_count = 2,
      .configuration = KIST_ACCOUNT_NUMBER,
      .nonce = KIST_TEXT("nonce"),
      .nonce_signature = KIST_TEXT("signature"),
      .primary_account_number = KIST_TEXT("4109370251004320"),
      .expiration = KIST_TEXT("12/30"),
      .name = KIST_TEXT("A. Card"),
      .visa = {.type = KIST_MBPAC, .authentication_code = KIST_TEXT("abc123")},
  };
  struct kist_provision_pass_reply made;
  OK(kist_provision_pass(kist, key("VISA"), &request, &made, KIST_ROOM(room), &outcome));
  CHECK(made.ephemeral_public_key.count == 65 && made.encrypted_pass_data.count > 16 && made.activation_data.count > 26, "another pass");
  uint8_t point[65], scalar[32] = {[31] = 7};
  struct kist_provision_trace_request trace = {
      .recipient = keep(made.ephemeral_public_key, point), .ephemeral_private_key = {scalar, 32}, .pass_data = KIST_TEXT("pass data")};
  struct kist_provision_trace_reply traced;
  OK(kist_provision_trace(kist, &trace, &traced, KIST_ROOM(room), &outcome));
  CHECK(traced.other_info.count == 84 && traced.encrypted_pass_data.count == 9 + 16, "another trace");
  request.certificates_count = 1;
  IS(KIST_REJECTED, kist_provision_pass(kist, key("VISA"), &request, &made, KIST_ROOM(room), &outcome));
  CHECK(strcmp(kist_stage_name(outcome.stage), "issuer-chain-length") == 0, "%s", kist_stage_name(outcome.stage));
}

static void one_time_values(void) {
  struct kist_sign_otp_reply value;
  struct kist_sign_otp_request request = {.visa = {.type = KIST_MBPAC, .nonce = KIST_TEXT("nonce"), .authentication_code = KIST_TEXT("abc123")}};
  OK(kist_sign_otp(kist, key("VISA"), &request, &value, KIST_ROOM(room), &outcome));
  CHECK(value.otp.count > 26 && !value.counter.present, "another value");
  request = (struct kist_sign_otp_request){
      .mastercard = {.version = 3, .account_number = KIST_TEXT("4109370251004320"), .expiry = KIST_TEXT("1230")}};
  OK(kist_sign_otp(kist, key("MASTERCARD"), &request, &value, KIST_ROOM(room), &outcome));
  request = (struct kist_sign_otp_request){.subject = KIST_TEXT("c")};
  OK(kist_sign_otp(kist, key("HOTP"), &request, &value, KIST_ROOM(room), &outcome));
  CHECK(value.otp.count == 6 && value.counter.present && value.counter.value == 0, "another code");
  uint8_t code[8];
  struct kist_verify_otp_request verify = {.subject = KIST_TEXT("c"), .code = keep(value.otp, code)};
  struct kist_verify_otp_reply verified = {.counter = 9};
  OK(kist_verify_otp(kist, key("HOTP"), &verify, &verified, &outcome));
  CHECK(verified.counter == 0, "%llu", (unsigned long long)verified.counter);
  IS(KIST_REJECTED, kist_verify_otp(kist, key("HOTP"), &verify, &verified, &outcome));
  struct kist_enrol_authenticator_request enrol = {.subject = KIST_TEXT("c"), .retry_key = KIST_TEXT("0123456789abcdef")};
  struct kist_enrol_authenticator_reply enrolled;
  OK(kist_enrol_authenticator(kist, key("HOTP"), &enrol, &enrolled, KIST_ROOM(room), &outcome));
  CHECK(enrolled.secret.count == 20 && enrolled.number == 1 && enrolled.otp.digits == 6, "another secret");
  OK(kist_sign_otp(kist, key("HOTP"), &request, &value, KIST_ROOM(room), &outcome));
  CHECK(value.counter.present && value.counter.value == 0, "%llu", (unsigned long long)value.counter.value);
  OK(kist_enrol_authenticator(kist, key("HOTP"), &enrol, &enrolled, KIST_ROOM(room), &outcome));
  CHECK(enrolled.number == 2, "%u", enrolled.number);
}

static void agreement(void) {
  const uint8_t *id = key("AGREEMENT");
  uint8_t handle[KIST_HANDLE_SIZE], bytes[256];
  struct kist_ecdh_reply agreed;
  OK(kist_ecdh(kist, id, &(struct kist_ecdh_request){.peer = named("PEER"), .release = true}, &agreed, KIST_ROOM(room), &outcome));
  struct kist_bytes expected = named("SHARED");
  CHECK(agreed.shared_secret.count == 32 && memcmp(agreed.shared_secret.data, expected.data, 32) == 0, "another secret");
  OK(kist_ecdh(kist, id, &(struct kist_ecdh_request){.peer = named("PEER")}, &agreed, KIST_ROOM(room), &outcome));
  struct kist_kdf_request derive = {
      .handle = keep(agreed.handle, handle), .derivation = KIST_HKDF_SHA256, .count = 32, .info = KIST_TEXT("info"), .salt = KIST_TEXT("salt")};
  struct kist_kdf_reply derived;
  OK(kist_kdf(kist, id, &derive, &derived, KIST_ROOM(room), &outcome));
  struct kist_bytes held = keep(derived.handle, handle);
  struct kist_mac_reply code;
  struct kist_mac_request mac = {.handle = held, .algorithm = KIST_HMAC_SHA256, .length = 16, .message = KIST_TEXT("message")};
  OK(kist_mac(kist, id, &mac, &code, KIST_ROOM(room), &outcome));
  struct kist_verify_mac_request verify = {
      .handle = held, .algorithm = KIST_HMAC_SHA256, .length = 16, .message = mac.message, .mac = keep(code.mac, bytes)};
  OK(kist_verify_mac(kist, id, &verify, &outcome));
  bytes[0] ^= 1;
  IS(KIST_REJECTED, kist_verify_mac(kist, id, &verify, &outcome));
  OK(kist_release_handle(kist, id, &(struct kist_release_handle_request){.handle = held}, &outcome));
  IS(KIST_DENIED, kist_release_handle(kist, id, &(struct kist_release_handle_request){.handle = held}, &outcome));
  struct kist_unwrap_reply unwrapped;
  OK(kist_unwrap(kist, key("UNWRAPPING"), &(struct kist_unwrap_request){.wrapped_key = named("WRAPPED")}, &unwrapped, KIST_ROOM(room), &outcome));
  CHECK(unwrapped.handle.count == KIST_HANDLE_SIZE, "%zu", unwrapped.handle.count);
}

static void sealing(void) {
  static uint8_t plaintext[65536], sealed[70000];
  const uint8_t *id = key("SEALING");
  for (size_t count = 0; count <= sizeof(plaintext); count += sizeof(plaintext) / 2) {
    struct kist_seal_reply reply;
    OK(kist_seal(kist, id, &(struct kist_seal_request){.plaintext = {plaintext, count}, .associated_data = KIST_TEXT("data")}, &reply,
                 KIST_ROOM(room), &outcome));
    struct kist_unseal_request request = {.sealed = keep(reply.sealed, sealed), .associated_data = KIST_TEXT("data")};
    struct kist_unseal_reply opened;
    OK(kist_unseal(kist, id, &request, &opened, KIST_ROOM(room), &outcome));
    CHECK(opened.plaintext.count == count && (count == 0 || memcmp(opened.plaintext.data, plaintext, count) == 0), "%zu", count);
    request.associated_data = KIST_TEXT("other");
    IS(KIST_REJECTED, kist_unseal(kist, id, &request, &opened, KIST_ROOM(room), &outcome));
    CHECK(strcmp(kist_stage_name(outcome.stage), "tag") == 0, "%s", kist_stage_name(outcome.stage));
  }
}

static void signing(void) {
  const uint8_t *id = key("SIGNING");
  uint8_t bytes[128];
  struct kist_sign_reply reply;
  OK(kist_sign(kist, id, &(struct kist_sign_request){.scheme = KIST_ECDSA_P256_SHA256, .message = KIST_TEXT("message")}, &reply,
               KIST_ROOM(room), &outcome));
  struct kist_verify_request verify = {
      .scheme = KIST_ECDSA_P256_SHA256, .message = KIST_TEXT("message"), .signature = keep(reply.signature, bytes)};
  OK(kist_verify(kist, id, &verify, &outcome));
  verify.message = KIST_TEXT("other");
  IS(KIST_REJECTED, kist_verify(kist, id, &verify, &outcome));
}

static void stand_ins(void) {
  uint8_t bytes[256];
  struct kist_tokenise_reply made;
  struct kist_tokenise_request request = {.pan = KIST_TEXT("4109370251004320"), .merchant_identifier = KIST_TEXT("merchant.com.acme")};
  OK(kist_tokenise(kist, key("SURROGATE"), &request, &made, KIST_ROOM(room), &outcome));
  CHECK(made.surrogate.count == 16 && made.envelope.count == 0, "another surrogate");
  struct kist_detokenise_request undo = {.surrogate = keep(made.surrogate, bytes), .merchant_identifier = request.merchant_identifier};
  struct kist_detokenise_reply pan;
  OK(kist_detokenise(kist, key("SURROGATE"), &undo, &pan, KIST_ROOM(room), &outcome));
  CHECK(is(pan.pan, "4109370251004320"), "another number");
  request.transaction_id = named("SHARED");
  request.lifetime = 60;
  OK(kist_tokenise(kist, key("SEALING"), &request, &made, KIST_ROOM(room), &outcome));
  CHECK(made.envelope.count > 16 && made.surrogate.count == 0, "another envelope");
  struct kist_open_envelope_request envelope = {
      .envelope = keep(made.envelope, bytes), .merchant_identifier = request.merchant_identifier, .transaction_id = request.transaction_id,
      .required = KIST_RELEASE(KIST_DPAN)};
  struct kist_open_payment_token_reply opened;
  OK(kist_open_envelope(kist, key("SEALING"), &envelope, &opened, KIST_ROOM(room), &outcome));
  CHECK(is(opened.dpan, "4109370251004320") && opened.last4.count == 0 && opened.signing_time == 0, "another number");
  uint8_t retry_key[KIST_RETRY_KEY_SIZE];
  CHECK(kist_make_retry_key(retry_key), "random bytes");
  envelope.retry_key = (struct kist_bytes){retry_key, sizeof(retry_key)};
  for (int i = 0; i < 2; i++) OK(kist_open_envelope_retrying(kist, key("SEALING"), &envelope, &opened, KIST_ROOM(room), &outcome));
  envelope.required = KIST_RELEASE(KIST_DPAN) | KIST_RELEASE(KIST_CRYPTOGRAM);
  IS(KIST_REJECTED, kist_open_envelope(kist, key("SEALING"), &envelope, &opened, KIST_ROOM(room), &outcome));
  CHECK(outcome.released_field == KIST_CRYPTOGRAM, "%u", outcome.released_field);
  bytes[0] ^= 1;
  envelope.required = 0;
  IS(KIST_REJECTED, kist_open_envelope(kist, key("SEALING"), &envelope, &opened, KIST_ROOM(room), &outcome));
  CHECK(strcmp(kist_stage_name(outcome.stage), "envelope") == 0, "%s", kist_stage_name(outcome.stage));
}

/* Many at once, of several kinds. */
static void pipelined(void) {
  struct kist_random_reply drawn;
  for (unsigned i = 0; i < KIST_IN_FLIGHT; i++) {
    if (i % 2) {
      OK(kist_submit(kist, KIST_OP_RANDOM, NULL, &(struct kist_random_request){.count = i}));
    } else {
      OK(kist_submit(kist, KIST_OP_PING, NULL, NULL));
    }
  }
  for (unsigned i = 0; i < KIST_IN_FLIGHT; i++) {
    OK(kist_collect(kist, i % 2 ? &drawn : NULL, KIST_ROOM(room), &outcome));
    CHECK(i % 2 == 0 || drawn.random.count == i, "%u: %zu", i, drawn.random.count);
  }
}

static void operators(void) {
  struct kist *services = kist;
  struct kist_status_report report;
  struct kist_key_description made;
  IS(KIST_DENIED, kist_status(kist, &report, KIST_ROOM(room), &outcome));
  if (kist_open(&kist, getenv("KIST_ADMIN_ENDPOINT"), NULL) != KIST_OK) abort();
  OK(kist_status(kist, &report, KIST_ROOM(room), &outcome));
  CHECK(is(report.state, "serving") && report.rehearsal && report.audit_root.count == 32, "another state");
  struct kist_import_key_request import = {
      .label = KIST_TEXT("other/c"), .role = KIST_TEXT("sealing"), .private_key = named("SHARED"), .activate = true};
  OK(kist_import_key(kist, &import, &made, KIST_ROOM(room), &outcome));
  CHECK(is(made.label, "other/c") && is(made.state, "active"), "another key");
  IS(KIST_REJECTED, kist_unlock(kist, &(struct kist_unlock_request){.passphrase = KIST_TEXT("passphrase")}, &outcome));
  CHECK(strcmp(kist_stage_name(outcome.stage), "passphrase") == 0, "%s", kist_stage_name(outcome.stage));
  kist_close(kist);
  kist = services;
}

/* Every status that a sound request can meet; the last two are made by whoever started this. */
static void refused(void) {
  static const uint8_t nobody[KIST_KEY_ID_SIZE] = {1};
  struct kist_key_description one;
  struct kist_ecdh_reply agreed;
  struct kist_random_reply drawn;
  IS(KIST_DENIED, kist_describe_key(kist, nobody, &one, KIST_ROOM(room), &outcome));
  CHECK(outcome.audit_sequence != KIST_UNAUDITED && outcome.stage == 0, "a denial is on the record");
  for (int i = 0; i < 16; i++) OK(kist_ecdh(kist, key("AGREEMENT"), &(struct kist_ecdh_request){.peer = named("PEER")}, &agreed, KIST_ROOM(room), &outcome));
  IS(KIST_BUSY, kist_ecdh(kist, key("AGREEMENT"), &(struct kist_ecdh_request){.peer = named("PEER")}, &agreed, KIST_ROOM(room), &outcome));
  struct kist *services = kist;
  if (kist_open(&kist, getenv("KIST_ADMIN_ENDPOINT"), NULL) != KIST_OK) abort();
  OK(kist_lock(kist, &outcome));
  IS(KIST_LOCKED, kist_lock(kist, &outcome));
  kist_close(kist);
  kist = services;
  IS(KIST_LOCKED, kist_random(kist, &(struct kist_random_request){.count = 1}, &drawn, KIST_ROOM(room), &outcome));
  OK(kist_ping(kist, &outcome));
  IS(KIST_LOCKED, kist_ready(kist, &outcome));
}

/* Tells the other side where this one is, and waits until it has done its part. */
static void meet(const char *word) {
  char line[16];
  puts(word);
  fflush(stdout);
  if (!fgets(line, sizeof(line), stdin)) exit(70);
}

static void killed(void) {
  struct kist_random_reply drawn;
  for (int i = 0; i < 8; i++) OK(kist_submit(kist, KIST_OP_RANDOM, NULL, &(struct kist_random_request){.count = 16}));
  OK(kist_collect(kist, &drawn, KIST_ROOM(room), &outcome));
  meet("kill");
  bool is_lost = false;
  for (int i = 1; i < 8; i++) {
    enum kist_result result = kist_collect(kist, &drawn, KIST_ROOM(room), &outcome);
    /* A reply that had come is there; behind the first that had not, none is. */
    CHECK(result == KIST_E_DISCONNECTED || (result == KIST_OK && !is_lost), "%s", kist_result_name(result));
    is_lost = result != KIST_OK;
  }
  IS(KIST_E_UNREACHABLE, kist_ping(kist, &outcome));
  meet("restart");
  OK(kist_random(kist, &(struct kist_random_request){.count = 16}, &drawn, KIST_ROOM(room), &outcome));
  meet("displace");
  IS(KIST_AUDIT_UNAVAILABLE, kist_random(kist, &(struct kist_random_request){.count = 16}, &drawn, KIST_ROOM(room), &outcome));
  IS(KIST_AUDIT_UNAVAILABLE, kist_ready(kist, &outcome));
}

int main(int argc, char **argv) {
  const char *mode = argc == 2 ? argv[1] : "";
  if (kist_open(&kist, NULL, NULL) != KIST_OK) {
    fprintf(stderr, "live_test: no daemon at KIST_ENDPOINT\n");
    return 69;
  }
  unsigned long expected = 0;
  if (strcmp(mode, "operations") == 0) {
    general();
    tokens();
    passes();
    one_time_values();
    agreement();
    sealing();
    signing();
    stand_ins();
    pipelined();
    operators();
    expected = 198;
  } else if (strcmp(mode, "refused") == 0) {
    refused();
    expected = 24;
  } else if (strcmp(mode, "killed") == 0) {
    killed();
    expected = 20;
  }
  kist_close(kist);
  return finish(expected);
}
