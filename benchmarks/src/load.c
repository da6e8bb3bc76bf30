/*
 * The daemon's operations through libkist, on one connection for each client.
 *
 * usage: load STAGE OPERATION SECONDS CLIENTS DEPTH PID
 * STAGE has pki/ and what benchmarks/stage.py put into bench/; KIST_ENDPOINT says where the daemon PID is.  With a DEPTH
 * above 1 so many requests are submitted, then their replies collected.  Every reply is looked at.
 */
#include <openssl/rand.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kist.h"
#include "measure.h"
#include "mint.h"

enum { PEERS = 64, LARGE = 16 * 1024, ROOM = 64 * 1024, TOKENS_EACH_SECOND = 26000, TOKENS_ONE_BY_ONE = 9000 };

/* One client. */
struct client {
  struct kist *kist;
  const uint8_t *key;
  unsigned next;
  uint8_t digest[32], signature[512];
  size_t signature_count;
  uint8_t plaintext[LARGE], sealed[LARGE + 64];
  size_t count, sealed_count;
  uint8_t room[ROOM];
  const struct operation *operation;
};

union request {
  struct kist_ecdh_request ecdh;
  struct kist_sign_request sign;
  struct kist_seal_request seal;
  struct kist_unseal_request unseal;
  struct kist_random_request random;
  struct kist_open_payment_token_request open;
  struct kist_provision_pass_request provision;
};

union reply {
  struct kist_ecdh_reply ecdh;
  struct kist_sign_reply sign;
  struct kist_seal_reply seal;
  struct kist_unseal_reply unseal;
  struct kist_random_reply random;
  struct kist_open_payment_token_reply open;
  struct kist_provision_pass_reply provision;
};

/* What one operation asks for, and what it has to get. */
struct operation {
  enum kist_operation opcode;
  bool (*prepare)(struct client *client); /* once for each client; may be NULL */
  bool (*ask)(struct client *client, union request *request); /* false: nothing is left to ask */
  bool (*is_right)(struct client *client, const union reply *reply, unsigned number);
};

static const char *stage;
static char folder[512];
static unsigned depth;

/* ping, random */

static bool ask_nothing(struct client *client, union request *request) { return (void)client, (void)request, true; }
static bool is_anything(struct client *client, const union reply *reply, unsigned number) { return (void)client, (void)reply, (void)number, true; }

static bool ask_random(struct client *client, union request *request) {
  (void)client;
  request->random.count = 16;
  return true;
}

static bool is_random(struct client *client, const union reply *reply, unsigned number) {
  return (void)client, (void)number, reply->random.random.count == 16;
}

/* ecdh */

static uint8_t points[PEERS][POINT], secrets[PEERS][Z_SIZE];

static void make_peers(void) {
  EVP_PKEY *key = read_key(folder, "agreement.key");
  for (int i = 0; i < PEERS; i++) {
    EVP_PKEY *peer = make_p256();
    point_of(peer, points[i]);
    if (!agree_plainly(peer, key, secrets[i])) fail("the peers cannot be made");
    EVP_PKEY_free(peer);
  }
}

static bool ask_ecdh(struct client *client, union request *request) {
  request->ecdh.peer = (struct kist_bytes){points[client->next % PEERS], POINT};
  request->ecdh.release = true;
  return true;
}

static bool is_shared_secret(struct client *client, const union reply *reply, unsigned number) {
  (void)client;
  struct kist_bytes z = reply->ecdh.shared_secret;
  return z.count == Z_SIZE && memcmp(z.data, secrets[number % PEERS], Z_SIZE) == 0;
}

/* sign */

static bool ask_signature(struct client *client, union request *request, uint32_t scheme) {
  request->sign.scheme = scheme;
  request->sign.digested = true;
  request->sign.message = (struct kist_bytes){client->digest, sizeof(client->digest)};
  return true;
}

static bool ask_p256(struct client *client, union request *request) { return ask_signature(client, request, KIST_ECDSA_P256_SHA256); }
static bool ask_rsa(struct client *client, union request *request) { return ask_signature(client, request, KIST_RSA_PKCS1_SHA256); }

static bool is_signature(struct client *client, const union reply *reply, unsigned number) {
  (void)number;
  client->signature_count = reply->sign.signature.count;
  if (client->signature_count == 0 || client->signature_count > sizeof(client->signature)) return false;
  memcpy(client->signature, reply->sign.signature.data, client->signature_count);
  return true;
}

static EVP_PKEY *signer;

/* All of a client's signatures are over one digest. */
static bool verify_signature(struct client *client) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(signer, NULL);
  bool is_good = EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1 &&
                 EVP_PKEY_verify(context, client->signature, client->signature_count, client->digest, sizeof(client->digest)) == 1;
  EVP_PKEY_CTX_free(context);
  return is_good;
}

/* seal, unseal */

static bool prepare_plaintext(struct client *client, size_t count) {
  client->count = count;
  return RAND_bytes(client->plaintext, (int)count) == 1;
}

static bool prepare_1k(struct client *client) { return prepare_plaintext(client, 1024); }
static bool prepare_16k(struct client *client) { return prepare_plaintext(client, LARGE); }

static bool ask_seal(struct client *client, union request *request) {
  request->seal.plaintext = (struct kist_bytes){client->plaintext, client->count};
  return true;
}

static bool is_sealed(struct client *client, const union reply *reply, unsigned number) {
  (void)number;
  client->sealed_count = reply->seal.sealed.count;
  if (client->sealed_count <= client->count || client->sealed_count > sizeof(client->sealed)) return false;
  memcpy(client->sealed, reply->seal.sealed.data, client->sealed_count);
  return true;
}

static bool ask_unseal(struct client *client, union request *request) {
  request->unseal.sealed = (struct kist_bytes){client->sealed, client->sealed_count};
  return true;
}

static bool is_plaintext(struct client *client, const union reply *reply, unsigned number) {
  (void)number;
  struct kist_bytes plaintext = reply->unseal.plaintext;
  return plaintext.count == client->count && memcmp(plaintext.data, client->plaintext, client->count) == 0;
}

static bool prepare_sealed(struct client *client, size_t count) {
  struct kist_seal_reply reply;
  struct kist_seal_request request = {.plaintext = {client->plaintext, count}};
  return prepare_plaintext(client, count) &&
         kist_seal(client->kist, client->key, &request, &reply, KIST_ROOM(client->room), NULL) == KIST_OK &&
         is_sealed(client, &(union reply){.seal = reply}, 0);
}

static bool prepare_sealed_1k(struct client *client) { return prepare_sealed(client, 1024); }
static bool prepare_sealed_16k(struct client *client) { return prepare_sealed(client, LARGE); }

/* The daemon opens what was sealed last. */
static bool verify_sealed(struct client *client) {
  union request request = {0};
  union reply reply;
  ask_unseal(client, &request);
  return kist_unseal(client->kist, client->key, &request.unseal, &reply.unseal, KIST_ROOM(client->room), NULL) == KIST_OK &&
         is_plaintext(client, &reply, 0);
}

/* open-payment-token: each token once */

static struct merchant merchant;
static struct token *tokens;
static size_t token_count;
static _Atomic size_t token_next;

static bool ask_open(struct client *client, union request *request) {
  (void)client;
  size_t number = token_next++;
  if (number >= token_count) return false;
  struct token *token = &tokens[number];
  request->open.token = (struct kist_payment_token){
      .version = KIST_EC_V1,
      .data = {token->data, token->data_count},
      .signature = {token->signature, token->signature_count},
      .ephemeral_public_key = {token->ephemeral, SPKI_P256},
      .public_key_hash = {merchant.key_hash, 32},
      .transaction_id = {token->transaction, 32},
  };
  request->open.expected_currency = KIST_TEXT("840");
  request->open.expected_amount = (struct kist_optional){true, TOKEN_AMOUNT};
  return true;
}

static bool is_payment(struct client *client, const union reply *reply, unsigned number) {
  (void)client, (void)number;
  struct kist_bytes pan = reply->open.dpan;
  return pan.count == strlen(token_pan) && memcmp(pan.data, token_pan, pan.count) == 0 && reply->open.amount.value == TOKEN_AMOUNT;
}

struct minting {
  pthread_t thread;
  size_t from, to;
};

static void *mint_some(void *argument) {
  struct minting *part = argument;
  for (size_t i = part->from; i < part->to; i++) mint(&merchant, &tokens[i]);
  return NULL;
}

/* On two threads, as there are processors for. */
static void mint_all(double seconds, unsigned clients) {
  char pki[600];
  snprintf(pki, sizeof(pki), "%s/pki", stage);
  merchant_read(&merchant, pki);
  double rate = clients == 1 && depth == 1 ? TOKENS_ONE_BY_ONE : TOKENS_EACH_SECOND;
  token_count = (size_t)(rate * seconds * 1.125) + 2 * (size_t)clients * depth;
  tokens = malloc(token_count * sizeof(*tokens));
  if (!tokens) fail("no memory");
  struct minting parts[] = {{.from = 0, .to = token_count / 2}, {.from = token_count / 2, .to = token_count}};
  for (int i = 0; i < 2; i++) {
    if (pthread_create(&parts[i].thread, NULL, mint_some, &parts[i]) != 0) fail("cannot start a thread");
  }
  for (int i = 0; i < 2; i++) pthread_join(parts[i].thread, NULL);
}

/* provision-pass */

static struct blob issuer_leaf, issuer_intermediate;

static bool ask_provision(struct client *client, union request *request) {
  (void)client;
  request->provision = (struct kist_provision_pass_request){
      .scheme = KIST_EV_ECC_V2,
      .certificates = {{issuer_leaf.data, issuer_leaf.count}, {issuer_intermediate.data, issuer_intermediate.count}},
      .certificates_count = 2,
      .configuration = KIST_ACCOUNT_NUMBER,
      .nonce = KIST_TEXT("nonc"),
      .nonce_signature = KIST_TEXT("nonce signature of thirty-two by"),
      .primary_account_number = KIST_TEXT("4109370251004320"),
      .expiration = KIST_TEXT("12/30"),
      .name = KIST_TEXT("A. Card"),
  };
  return true;
}

static EVP_PKEY *recipient;

/* As Apple opens it. */
static bool is_pass(struct client *client, const union reply *reply, unsigned number) {
  const struct kist_provision_pass_reply *made = &reply->provision;
  if (made->ephemeral_public_key.count != POINT || made->encrypted_pass_data.count > LARGE || made->encrypted_pass_data.count <= TAG) return false;
  if (number % 1024) return true;
  static const uint8_t iv[12];
  uint8_t z[Z_SIZE], key[32];
  struct agreement agreement;
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  EVP_CIPHER_CTX *cipher = gcm_make(sizeof(iv));
  bool is_good = agreement_make(&agreement, recipient) && agree(&agreement, made->ephemeral_public_key.data, z) &&
                 derive(hash, z, made->ephemeral_public_key.data, POINT, key) &&
                 gcm_open(cipher, key, iv, made->encrypted_pass_data.data, made->encrypted_pass_data.count, client->plaintext) &&
                 memmem(client->plaintext, made->encrypted_pass_data.count - TAG, token_pan, strlen(token_pan));
  EVP_CIPHER_CTX_free(cipher);
  EVP_MD_CTX_free(hash);
  EVP_PKEY_free(agreement.peer);
  EVP_PKEY_CTX_free(agreement.context);
  return is_good;
}

/* All of them */

static const struct named {
  const char *name, *key;
  struct operation operation;
  bool (*verify)(struct client *client);
} all[] = {
    {"ping", NULL, {KIST_OP_PING, NULL, ask_nothing, is_anything}, NULL},
    {"random", NULL, {KIST_OP_RANDOM, NULL, ask_random, is_random}, NULL},
    {"ecdh", "agreement", {KIST_OP_ECDH, NULL, ask_ecdh, is_shared_secret}, NULL},
    {"sign-p256", "signing-p256", {KIST_OP_SIGN, NULL, ask_p256, is_signature}, verify_signature},
    {"sign-rsa", "signing-rsa", {KIST_OP_SIGN, NULL, ask_rsa, is_signature}, verify_signature},
    {"seal-1k", "sealing", {KIST_OP_SEAL, prepare_1k, ask_seal, is_sealed}, verify_sealed},
    {"seal-16k", "sealing", {KIST_OP_SEAL, prepare_16k, ask_seal, is_sealed}, verify_sealed},
    {"unseal-1k", "sealing", {KIST_OP_UNSEAL, prepare_sealed_1k, ask_unseal, is_plaintext}, NULL},
    {"unseal-16k", "sealing", {KIST_OP_UNSEAL, prepare_sealed_16k, ask_unseal, is_plaintext}, NULL},
    {"open", NULL, {KIST_OP_OPEN_PAYMENT_TOKEN, NULL, ask_open, is_payment}, NULL},
    {"provision", NULL, {KIST_OP_PROVISION_PASS, NULL, ask_provision, is_pass}, NULL},
};
static const struct named *chosen;
static struct blob key_id;

static void *make_client(unsigned thread) {
  struct client *client = calloc(1, sizeof(*client));
  if (!client) return NULL;
  client->operation = &chosen->operation;
  client->key = key_id.data;
  client->next = thread;
  enum kist_result result = kist_open(&client->kist, NULL, NULL);
  if (result != KIST_OK) fail("no daemon at KIST_ENDPOINT: %s", kist_result_name(result));
  return !client->operation->prepare || client->operation->prepare(client) ? client : NULL;
}

static bool take(struct client *client, unsigned number) {
  union reply reply;
  struct kist_outcome outcome;
  enum kist_result result = kist_collect(client->kist, &reply, KIST_ROOM(client->room), &outcome);
  if (result != KIST_OK) fail("%s: %s %s", chosen->name, kist_result_name(result), outcome.stage ? kist_stage_name(outcome.stage) : "");
  return client->operation->is_right(client, &reply, number);
}

static enum outcome once(void *of) {
  struct client *client = of;
  union request request;
  unsigned collected = client->next, end = client->next + depth;
  for (; client->next != end; client->next++) {
    memset(&request, 0, sizeof(request));
    if (!client->operation->ask(client, &request)) break;
    enum kist_result result;
    /* Of large requests fewer may be in flight. */
    while ((result = kist_submit(client->kist, client->operation->opcode, client->key, &request)) == KIST_E_FULL) {
      while (collected != client->next) {
        if (!take(client, collected++)) return WRONG;
      }
    }
    if (result != KIST_OK) fail("%s: %s", chosen->name, kist_result_name(result));
  }
  while (collected != client->next) {
    if (!take(client, collected++)) return WRONG;
  }
  return client->next == end ? DONE : USED_UP;
}

static bool verify(void *of) { return chosen->verify(of); }

static void read_stage(double seconds, unsigned clients) {
  char file[64];
  snprintf(folder, sizeof(folder), "%s/bench", stage);
  if (chosen->key) {
    snprintf(file, sizeof(file), "%s.id", chosen->key);
    key_id = read_file(folder, file);
    if (key_id.count != KIST_KEY_ID_SIZE) fail("%s is no key's id", file);
  }
  if (chosen->operation.ask == ask_ecdh) make_peers();
  if (chosen->operation.ask == ask_p256) signer = read_key(folder, "signing-p256.key");
  if (chosen->operation.ask == ask_rsa) signer = read_key(folder, "signing-rsa.key");
  if (chosen->operation.ask == ask_open) mint_all(seconds, clients);
  if (chosen->operation.ask == ask_provision) {
    issuer_leaf = read_file(folder, "issuer-leaf.cer");
    issuer_intermediate = read_file(folder, "issuer-intermediate.cer");
    recipient = read_key(folder, "issuer-leaf.key");
  }
}

int main(int argc, char **argv) {
  if (argc != 7) fail("usage: load STAGE OPERATION SECONDS CLIENTS DEPTH PID");
  stage = argv[1];
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if (strcmp(all[i].name, argv[2]) == 0) chosen = &all[i];
  }
  if (!chosen) fail("there is no operation %s", argv[2]);
  double seconds = number(argv[3]);
  unsigned clients = (unsigned)number(argv[4]);
  depth = (unsigned)number(argv[5]);
  read_stage(seconds, clients);
  struct work work = {.name = chosen->name, .make = make_client, .once = once, .verify = chosen->verify ? verify : NULL, .batch = depth};
  return measure(&work, (struct plan){clients, seconds, (pid_t)number(argv[6])});
}
