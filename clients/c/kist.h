/*
 * kist.h - talk to kistd, the key daemon for Apple Pay.
 *
 * Every operation is one function: it takes a request struct, and fills a reply struct whose values lie in the caller's
 * buffer.  The library keeps no globals, allocates nothing per call and wipes its own copies.
 *
 *     struct kist *kist;
 *     if (kist_open(&kist, NULL, NULL) != KIST_OK) ...              // KIST_ENDPOINT, or /run/kist/kist.sock
 *     uint8_t room[1024];
 *     struct kist_random_reply reply;
 *     enum kist_result result = kist_random(kist, &(struct kist_random_request){.count = 16}, &reply, KIST_ROOM(room), NULL);
 *
 * A handle is one connection with a lock: threads that share it wait for one another, at most until their time-out (KIST_E_TIMEOUT,
 * without a request id).  To avoid that, open a handle for each thread.  After fork() the child's first call opens a new connection.
 *
 * Fields have the names and sizes of proto/kist.proto and proto/PROTOCOL.md; kist(3) says the rest.
 */
#ifndef KIST_H
#define KIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define KIST_KEY_ID_SIZE 16
#define KIST_HANDLE_SIZE 16
#define KIST_RETRY_KEY_SIZE 16
/* The most bytes of a key's label, and of a pattern of labels. */
#define KIST_LABEL_MOST 128
/* The audit sequence if there is no audit record. */
#define KIST_UNAUDITED UINT64_MAX
/* Requests that may be submitted and not collected yet. */
#define KIST_IN_FLIGHT 32
/* Room for any reply. */
#define KIST_REPLY_MOST (1024 * 1024)

/* The result of a call: a status from the daemon, or, if negative, an error of this library. */
enum kist_result {
  KIST_OK = 0,
  KIST_MALFORMED = 1,
  KIST_UNSUPPORTED = 2,
  KIST_DENIED = 3,
  KIST_REJECTED = 4,
  KIST_BUSY = 5,
  KIST_LOCKED = 6,
  KIST_AUDIT_UNAVAILABLE = 7,
  KIST_INTERNAL = 8,
  KIST_APPROVAL_NEEDED = 9, /* an operator must approve; the same request, sent again, is then carried out once */

  KIST_E_ENDPOINT = -1,     /* the endpoint is not unix:/PATH */
  KIST_E_UNREACHABLE = -2,  /* nobody answers there; the outcome has the errno */
  KIST_E_DISCONNECTED = -3, /* the connection ended before the reply: the request may have been carried out */
  KIST_E_TIMEOUT = -4,      /* no reply before the time-out: the request may have been carried out */
  KIST_E_REQUEST = -5,      /* the request exceeds a bound of the protocol, or has no place for its reply; nothing was sent */
  KIST_E_REPLY = -6,        /* the reply violates the protocol; the connection was closed */
  KIST_E_ROOM = -7,         /* the reply is larger than its buffer; the request was carried out */
  KIST_E_ORDER = -8,        /* requests that were submitted must be collected first, or there are none to collect */
  KIST_E_FULL = -9,         /* no more requests may be in flight: collect one, then submit again */
  KIST_E_MEMORY = -10,      /* no memory, or none that can be kept from a child */
  KIST_E_NO_KEY = -11,      /* kist_find_key: no key has such a label, or none that the caller may list */
  KIST_E_SEVERAL_KEYS = -12 /* kist_find_key: more than one key has such a label */
};

/* Room for a request's short name and its end. */
#define KIST_NAME_ROOM 17
/* Bytes of the text that says which bound a request broke, its zero included. */
#define KIST_BREACH_ROOM 192

/* A connection; see kist_open. */
struct kist;

/* Bytes that somebody else owns; a count of 0 stands for an absent field. */
struct kist_bytes {
  const uint8_t *data;
  size_t count;
};

/* A number that can be present and zero. */
struct kist_optional {
  bool present;
  uint64_t value;
};

/* Holds a reply's values, which live as long as the buffer; its owner must wipe them. */
struct kist_buffer {
  uint8_t *data;
  size_t capacity;
};

/* Makes room for a reply from an array, and text from a literal. */
#ifdef __cplusplus
#define KIST_ROOM(array) (kist_buffer{(array), sizeof(array)})
#define KIST_TEXT(text) (kist_bytes{reinterpret_cast<const uint8_t *>(text), sizeof(text) - 1})
#else
#define KIST_ROOM(array) ((struct kist_buffer){(array), sizeof(array)})
#define KIST_TEXT(text) ((struct kist_bytes){(const uint8_t *)(text), sizeof(text) - 1})
#endif

/* What the daemon or the system reported besides the result; any pointer to an outcome may be NULL. */
struct kist_outcome {
  uint64_t audit_sequence; /* quote it to the operator; KIST_UNAUDITED if there is none */
  uint64_t request_id;     /* of the request, and of its audit record: kist audit show --request; 0 if nothing was sent */
  uint32_t stage;          /* of a rejection, if policy shows stages or a required field is at fault: see kist_stage_name; else 0 */
  uint32_t field;          /* of the pass that the stage is about, PassField of kist.proto; else 0 */
  uint32_t released_field; /* the required one that is not released, enum kist_released_field; else 0 */
  char request[KIST_NAME_ROOM]; /* of KIST_APPROVAL_NEEDED: what the operator approves by; else empty */
  uint64_t until;          /* of KIST_APPROVAL_NEEDED: seconds since 1970; else 0 */
  uint32_t retry_after_ms; /* of KIST_BUSY: when to try again, as far as the daemon knows; else 0 */
  int system_error;        /* errno of KIST_E_UNREACHABLE and KIST_E_DISCONNECTED, else 0 */
  size_t needed;           /* of KIST_E_ROOM: the bytes of room that the whole reply needs, else 0 */
  char breach[KIST_BREACH_ROOM]; /* of KIST_E_REQUEST and KIST_MALFORMED: which field broke which bound, such as "token.transaction_id has 31 bytes; it takes 32" */
};

struct kist_options {
  int timeout_ms; /* for one request, with connecting and with waiting for other threads: 0 for 10 s, negative for none */
};

/* What holds for one call alone; a field that is zero stands for the handle's own. */
struct kist_call_options {
  uint64_t request_id; /* the audit record's; the handle's own count from 1 */
  int timeout_ms;      /* negative for none */
};

/*
 * Opens a handle.  The endpoint is `unix:/PATH`; NULL means the environment's KIST_ENDPOINT, else
 * unix:/run/kist/kist.sock.  It connects at once, and again before a request if the connection has ended; no request is ever
 * sent twice but by kist_open_payment_token_retrying and kist_open_envelope_retrying.  Returns KIST_OK, KIST_E_ENDPOINT, KIST_E_UNREACHABLE (errno says why) or KIST_E_MEMORY.
 */
enum kist_result kist_open(struct kist **kist, const char *endpoint, const struct kist_options *options);

/* Ends the connection, wipes and frees the handle; NULL is allowed. No other call on it may be under way. */
void kist_close(struct kist *kist);

/*
 * What holds for the handle's next call, whatever its result, or for the next request that is submitted and for collecting its reply.
 * Threads that share a handle would meet each other's: give each its own.
 */
void kist_next_call(struct kist *kist, const struct kist_call_options *options);

/* Such as "denied"; never NULL. */
const char *kist_result_name(enum kist_result result);
/* Such as "signing-time"; "unknown" for a number this library does not know. */
const char *kist_stage_name(uint32_t stage);
/* "MAJOR.MINOR.PATCH" of the library. */
const char *kist_version(void);

/* Numbers */

enum kist_operation {
  KIST_OP_PING = 0x0001,
  KIST_OP_DESCRIBE = 0x0002,
  KIST_OP_LIST_KEYS = 0x0003,
  KIST_OP_DESCRIBE_KEY = 0x0004,
  KIST_OP_RANDOM = 0x0005,
  KIST_OP_WHO = 0x0006,
  KIST_OP_AUDIT_DIGEST = 0x0007,
  KIST_OP_READY = 0x0008,
  KIST_OP_VERIFY_PAYMENT_TOKEN = 0x0010,
  KIST_OP_OPEN_PAYMENT_TOKEN = 0x0011,
  KIST_OP_PROVISION_PASS = 0x0020,
  KIST_OP_PROVISION_TRACE = 0x0021,
  KIST_OP_SIGN_OTP = 0x0030,
  KIST_OP_VERIFY_OTP = 0x0031,
  KIST_OP_ENROL_AUTHENTICATOR = 0x0032,
  KIST_OP_ECDH = 0x0040,
  KIST_OP_KDF = 0x0041,
  KIST_OP_SEAL = 0x0042,
  KIST_OP_UNSEAL = 0x0043,
  KIST_OP_SIGN = 0x0044,
  KIST_OP_VERIFY = 0x0045,
  KIST_OP_MAC = 0x0046,
  KIST_OP_VERIFY_MAC = 0x0047,
  KIST_OP_UNWRAP = 0x0048,
  KIST_OP_RELEASE_HANDLE = 0x0049,
  KIST_OP_TOKENISE = 0x0050,
  KIST_OP_DETOKENISE = 0x0051,
  KIST_OP_OPEN_ENVELOPE = 0x0052,
  KIST_OP_STATUS = 0x0100,
  KIST_OP_UNLOCK = 0x0101,
  KIST_OP_LOCK = 0x0102,
  KIST_OP_IMPORT_KEY = 0x0103
};

enum kist_token_version { KIST_EC_V1 = 1, KIST_RSA_V1 = 2 };

/* Fields of an opened token; in `release` each is the bit KIST_RELEASE(field). */
enum kist_released_field {
  KIST_DPAN = 1,
  KIST_LAST4 = 2,
  KIST_BIN = 3,
  KIST_NETWORK = 4,
  KIST_EXPIRY = 5,
  KIST_CURRENCY = 6,
  KIST_AMOUNT = 7,
  KIST_CRYPTOGRAM = 8,
  KIST_ECI = 9,
  KIST_PAYMENT_DATA_TYPE = 10,
  KIST_DEVICE_MANUFACTURER = 11,
  KIST_EMV_DATA = 12,
  KIST_ENCRYPTED_PIN = 13,
  KIST_CARDHOLDER_NAME = 14,
  KIST_AUTHENTICATION_RESPONSES = 15,
  KIST_MERCHANT_TOKEN = 16,
  KIST_RAW = 17,
  KIST_SURROGATE = 20,
  KIST_ENVELOPE = 21,
  KIST_JWE = 22 /* follows from the grant, and is never asked for */
};
#define KIST_RELEASE(field) (UINT32_C(1) << (field))

enum kist_derivation {
  KIST_ONE_STEP_SHA256 = 1,
  KIST_ONE_STEP_SHA384 = 2,
  KIST_ONE_STEP_SHA512 = 3,
  KIST_X963_SHA256 = 4,
  KIST_X963_SHA384 = 5,
  KIST_X963_SHA512 = 6,
  KIST_HKDF_SHA256 = 7,
  KIST_HKDF_SHA384 = 8,
  KIST_HKDF_SHA512 = 9
};

enum kist_signature_scheme {
  KIST_ECDSA_P256_SHA256 = 1,
  KIST_ECDSA_P384_SHA384 = 2,
  KIST_ECDSA_P256_SHA256_FIXED = 3,
  KIST_ECDSA_P384_SHA384_FIXED = 4,
  KIST_RSA_PKCS1_SHA256 = 5,
  KIST_RSA_PKCS1_SHA384 = 6,
  KIST_RSA_PKCS1_SHA512 = 7,
  KIST_RSA_PSS_SHA256 = 8,
  KIST_RSA_PSS_SHA384 = 9,
  KIST_RSA_PSS_SHA512 = 10,
  KIST_ED25519 = 11
};

enum kist_mac_algorithm { KIST_HMAC_SHA256 = 1, KIST_HMAC_SHA384 = 2, KIST_HMAC_SHA512 = 3, KIST_AES_CMAC = 4 };
enum kist_digest_field { KIST_DIGEST_TRANSACTION = 1, KIST_DIGEST_PAN = 2, KIST_DIGEST_SUBJECT = 3 };
enum kist_encryption_scheme { KIST_EV_ECC_V2 = 1, KIST_EV_RSA_V2 = 2 };
enum kist_visa_type { KIST_MBPAC = 1, KIST_MBPAD = 2, KIST_MPAC = 3, KIST_MPAD = 4 };
enum kist_otp_hash { KIST_OTP_SHA1 = 1, KIST_OTP_SHA256 = 2, KIST_OTP_SHA512 = 3 };
enum kist_pass_configuration {
  KIST_ACCOUNT_NUMBER = 1,
  KIST_ACCOUNT_IDENTIFIER = 2,
  KIST_ENCRYPTED_ACCOUNT_NUMBER = 3,
  KIST_ENCRYPTED_ACCOUNT_NUMBER_UNNAMED = 4
};

/* Messages; a field that is zero is absent.  Numbers of enums are uint32_t, since a daemon may know more of them. */

struct kist_payment_token {
  uint32_t version;                       /* enum kist_token_version */
  struct kist_bytes data;                 /* ciphertext and tag, up to 64 KiB */
  struct kist_bytes signature;            /* CMS, up to 16 KiB */
  struct kist_bytes ephemeral_public_key; /* EC_v1: SubjectPublicKeyInfo */
  struct kist_bytes wrapped_key;          /* RSA_v1 */
  struct kist_bytes public_key_hash;      /* 32 bytes; the first 16 are the key's id */
  struct kist_bytes transaction_id;       /* 32 bytes */
  struct kist_bytes application_data;     /* 32 bytes, or absent */
};

struct kist_operation_description {
  uint32_t opcode;
  struct kist_bytes name;
  uint32_t request_cap; /* bytes, header included */
};

struct kist_describe_reply {
  struct kist_bytes product_version;
  uint32_t wire_version;
  struct kist_operation_description operations[256];
  size_t operations_count;
  uint32_t in_flight;
  bool rehearsal;
};

struct kist_otp_parameters {
  struct kist_bytes key_set;
  struct kist_bytes key_alias;
  uint32_t digits;
  uint32_t hash; /* enum kist_otp_hash */
  uint32_t step; /* seconds */
  struct kist_optional window;
  uint32_t failures;
  uint32_t lockout; /* seconds */
};

struct kist_key_description {
  struct kist_bytes id; /* 16 bytes */
  struct kist_bytes label;
  struct kist_bytes role;
  struct kist_bytes state;
  struct kist_bytes algorithm;
  struct kist_bytes usage;
  struct kist_bytes merchant_identifier;
  struct kist_bytes public_key; /* SubjectPublicKeyInfo; not in listings */
  struct kist_bytes check_value;
  struct kist_bytes certificate; /* DER; not in listings */
  uint64_t created;              /* seconds since 1970, as all times here */
  uint64_t activated;
  uint64_t not_after;
  uint64_t last_use;
  uint64_t uses;
  struct kist_otp_parameters otp;
  bool exportable; /* whether operators may send the key to another HSM */
  uint64_t not_before;
  uint64_t use_limit; /* 0 for any number of uses */
};

struct kist_list_keys_request {
  struct kist_bytes prefix;
  struct kist_bytes after; /* the last label of the page before */
  struct kist_bytes pattern; /* only labels that it covers, as policy would: a label, or one that ends in a slash and * */
};

struct kist_list_keys_reply {
  struct kist_key_description keys[64];
  size_t keys_count;
  bool more;
};

struct kist_random_request {
  uint32_t count; /* 1 to 1024 bytes */
};

struct kist_random_reply {
  struct kist_bytes random;
};

/* What one grant gives the caller; not whom else it covers. */
struct kist_right {
  struct kist_bytes grant;
  struct kist_bytes operations[64];
  size_t operations_count;
  struct kist_bytes keys[128]; /* labels, and prefixes that end in * */
  size_t keys_count;
  struct kist_bytes released[64];
  size_t released_count;
  bool stages;            /* whether it learns the stage of a rejection */
  struct kist_bytes rate; /* such as 200/s */
  struct kist_bytes quota;
  struct kist_bytes key_quota;
  uint64_t until;             /* 0 for ever */
  struct kist_bytes hours[16]; /* such as mon-fri 08:00-18:00, UTC */
  size_t hours_count;
};

struct kist_who_reply {
  uint32_t uid;
  uint32_t gid;
  struct kist_bytes unit; /* absent where the daemon sees none */
  struct kist_right rights[24];
  size_t rights_count;
  bool more; /* some of it did not fit */
};

struct kist_audit_digest_request {
  uint32_t field;          /* enum kist_digest_field */
  struct kist_bytes value; /* 32 bytes of a transaction id, digits, or whom codes are for */
};

struct kist_audit_digest_reply {
  struct kist_bytes digest; /* hmac-sha256: and 64 digits, as the log has it */
};

struct kist_verify_payment_token_request {
  struct kist_payment_token token;
  struct kist_bytes expected_application_data; /* 32 bytes */
};

struct kist_verify_payment_token_reply {
  uint64_t signing_time;
};

struct kist_open_payment_token_request {
  struct kist_payment_token token;
  uint32_t release;                    /* KIST_RELEASE of each field wanted; 0 asks for all that is granted */
  struct kist_bytes expected_currency; /* ISO 4217 numeric */
  struct kist_optional expected_amount; /* minor units */
  struct kist_bytes expected_application_data;
  uint32_t required; /* KIST_RELEASE of each field without which the token is not to be opened */
  struct kist_bytes retry_key; /* KIST_RETRY_KEY_SIZE random bytes, or none: kist_open_payment_token_retrying */
};

struct kist_open_payment_token_reply {
  struct kist_bytes dpan;
  struct kist_bytes last4;
  struct kist_bytes bin;
  struct kist_bytes network;
  struct kist_bytes expiry; /* YYMMDD */
  struct kist_bytes currency;
  struct kist_optional amount;
  struct kist_bytes cryptogram;
  struct kist_bytes eci;
  struct kist_bytes payment_data_type;
  struct kist_bytes device_manufacturer;
  struct kist_bytes emv_data;
  struct kist_bytes encrypted_pin;
  struct kist_bytes cardholder_name;
  struct kist_bytes authentication_responses;
  struct kist_bytes merchant_token;
  struct kist_bytes raw;
  uint64_t signing_time;
  struct kist_bytes surrogate;
  struct kist_bytes envelope;
  struct kist_bytes jwe; /* everything that is released, for a partner */
};

struct kist_visa_input {
  uint32_t type;           /* enum kist_visa_type */
  struct kist_bytes nonce; /* up to 64 bytes */
  struct kist_bytes authentication_code;
  struct kist_bytes account_number;
  struct kist_bytes expiry; /* MMYY */
};

struct kist_mastercard_input {
  uint32_t version; /* 2, 3 or 4 */
  struct kist_bytes account_number;
  struct kist_bytes expiry; /* MMYY */
  struct kist_bytes token_reference;
  uint64_t valid_until;
};

struct kist_account_surrogate {
  struct kist_bytes surrogate;
  struct kist_bytes key; /* 16 bytes: the key that made it */
  struct kist_bytes merchant_identifier;
};

struct kist_provision_pass_request {
  uint32_t scheme; /* enum kist_encryption_scheme */
  struct kist_bytes certificates[3];
  size_t certificates_count;
  uint32_t configuration; /* enum kist_pass_configuration */
  struct kist_bytes encrypted_primary_account_number;
  struct kist_bytes expiration; /* MM/YY */
  struct kist_bytes name;
  struct kist_bytes network_name;
  struct kist_bytes nonce;
  struct kist_bytes nonce_signature;
  struct kist_bytes primary_account_identifier;
  struct kist_bytes primary_account_number;
  struct kist_bytes primary_account_number_prefix;
  struct kist_bytes product_type;
  struct kist_bytes account_envelope; /* in place of the number */
  struct kist_bytes envelope_context;
  struct kist_visa_input visa;
  struct kist_mastercard_input mastercard;
  struct kist_bytes activation_data;
  struct kist_account_surrogate account_surrogate; /* in place of the number */
  struct kist_bytes network_key;                   /* 16 bytes: encrypts the number for the network */
};

struct kist_provision_pass_reply {
  struct kist_bytes encrypted_pass_data;
  struct kist_bytes ephemeral_public_key; /* 65 bytes */
  struct kist_bytes activation_data;
};

struct kist_provision_trace_request {
  struct kist_bytes recipient;             /* 65 bytes */
  struct kist_bytes ephemeral_private_key; /* 32 bytes */
  struct kist_bytes pass_data;
};

struct kist_provision_trace_reply {
  struct kist_bytes public_key_hash;
  struct kist_bytes ephemeral_public_key;
  struct kist_bytes shared_secret;
  struct kist_bytes other_info;
  struct kist_bytes shared_key;
  struct kist_bytes encrypted_pass_data;
};

struct kist_sign_otp_request {
  struct kist_bytes subject;
  struct kist_optional counter;
  struct kist_visa_input visa;
  struct kist_mastercard_input mastercard;
  struct kist_bytes account_envelope; /* in place of the number */
  struct kist_bytes envelope_context;
  struct kist_account_surrogate account_surrogate;
};

struct kist_sign_otp_reply {
  struct kist_bytes otp;
  struct kist_optional counter;
};

struct kist_verify_otp_request {
  struct kist_bytes subject;
  struct kist_bytes code;
};

struct kist_verify_otp_reply {
  uint64_t counter;
};

struct kist_enrol_authenticator_request {
  struct kist_bytes subject;
  struct kist_bytes retry_key; /* 16 random bytes: the same request again has the same answer, until the first code */
};

struct kist_enrol_authenticator_reply {
  struct kist_bytes secret; /* 20, 32 or 64 bytes */
  uint32_t number;          /* the subject's first authenticator is 1 */
  struct kist_otp_parameters otp;
};

struct kist_ecdh_request {
  struct kist_bytes peer; /* an uncompressed point, or a SubjectPublicKeyInfo */
  bool release;           /* Z itself in place of a handle */
};

struct kist_ecdh_reply {
  struct kist_bytes handle;
  struct kist_bytes shared_secret;
};

struct kist_other_info {
  struct kist_bytes algorithm_id;
  struct kist_bytes party_u_info;
  struct kist_bytes party_v_info;
  struct kist_bytes supp_pub_info;
  struct kist_bytes supp_priv_info;
};

struct kist_kdf_request {
  struct kist_bytes handle;
  uint32_t derivation; /* enum kist_derivation */
  uint32_t count;      /* 16 to 256 bytes */
  struct kist_bytes info;
  struct kist_other_info other_info; /* or in parts */
  struct kist_bytes salt;            /* HKDF */
  bool release;                      /* the key itself in place of a handle */
};

struct kist_kdf_reply {
  struct kist_bytes handle;
  struct kist_bytes derived_key;
};

struct kist_seal_request {
  struct kist_bytes handle; /* absent for the stored key */
  struct kist_bytes plaintext;
  struct kist_bytes associated_data;
};

struct kist_seal_reply {
  struct kist_bytes sealed;
};

struct kist_unseal_request {
  struct kist_bytes handle;
  struct kist_bytes iv;
  struct kist_bytes sealed;
  struct kist_bytes associated_data;
};

struct kist_unseal_reply {
  struct kist_bytes plaintext;
};

struct kist_sign_request {
  uint32_t scheme; /* enum kist_signature_scheme */
  bool digested;   /* message is the digest */
  struct kist_bytes message;
};

struct kist_sign_reply {
  struct kist_bytes signature;
};

struct kist_verify_request {
  uint32_t scheme;
  bool digested;
  struct kist_bytes message;
  struct kist_bytes signature;
};

struct kist_mac_request {
  struct kist_bytes handle; /* absent for the stored key */
  uint32_t algorithm;       /* enum kist_mac_algorithm; with a handle, and only then */
  uint32_t length;          /* 0 for the whole code */
  struct kist_bytes message;
};

struct kist_mac_reply {
  struct kist_bytes mac;
};

struct kist_verify_mac_request {
  struct kist_bytes handle;
  uint32_t algorithm;
  uint32_t length;
  struct kist_bytes message;
  struct kist_bytes mac;
};

struct kist_unwrap_request {
  struct kist_bytes wrapped_key;
};

struct kist_unwrap_reply {
  struct kist_bytes handle;
};

struct kist_release_handle_request {
  struct kist_bytes handle;
};

struct kist_tokenise_request {
  struct kist_bytes pan;
  struct kist_bytes merchant_identifier;
  struct kist_bytes transaction_id; /* 32 bytes, with a lifetime: for an envelope */
  uint32_t lifetime;                /* seconds */
};

struct kist_tokenise_reply {
  struct kist_bytes surrogate;
  struct kist_bytes envelope;
};

struct kist_detokenise_request {
  struct kist_bytes surrogate;
  struct kist_bytes merchant_identifier;
};

struct kist_detokenise_reply {
  struct kist_bytes pan;
};

struct kist_open_envelope_request {
  struct kist_bytes envelope;
  struct kist_bytes merchant_identifier;
  struct kist_bytes transaction_id; /* 32 bytes */
  uint32_t release;                 /* KIST_RELEASE of each field wanted; 0 asks for all that is granted */
  uint32_t required;                /* KIST_RELEASE of each field without which the envelope is not to be opened */
  struct kist_bytes retry_key;      /* KIST_RETRY_KEY_SIZE random bytes, or none: kist_open_envelope_retrying */
};

struct kist_status_report {
  struct kist_bytes state;
  struct kist_bytes product_version;
  bool rehearsal;
  uint64_t started;
  uint32_t keys;
  uint32_t connections;
  uint64_t audit_size;
  struct kist_bytes audit_root;
  struct kist_bytes audit_verifier_key;
  struct kist_bytes policy_hash;
  struct kist_bytes arena;
  uint64_t arena_capacity;
  uint64_t arena_used;
  uint64_t arena_peak;
  bool dumpable;
  uint64_t locked_bytes;
  uint64_t swapped_bytes;
  bool core_dumps;
  struct kist_optional ptrace_scope;
  uint32_t seccomp;
  bool landlock;
  struct kist_bytes audit_condition;
  uint64_t audit_free; /* bytes */
  uint64_t stack_capacity;
  uint64_t resident_bytes;
  struct kist_bytes unmatched_grants;
  uint64_t next_key_end; /* seconds since 1970 */
  bool code_intact;
  uint32_t store_fill;   /* hundredths */
};

struct kist_unlock_request {
  struct kist_bytes passphrase;
};

struct kist_import_key_request {
  struct kist_bytes label;
  struct kist_bytes role;
  struct kist_bytes private_key;
  struct kist_bytes certificate;
  struct kist_bytes merchant_identifier;
  bool activate;
  uint64_t not_after;
  struct kist_otp_parameters otp;
  bool exportable;
  struct kist_bytes jwe_members; /* of a partner's key: name=value for each member of its JWEs' headers */
};

/*
 * Operations.  A key is named by its id of 16 bytes; NULL means no key, if the operation allows that.  The reply's values
 * lie in `room`.  The outcome may be NULL.
 */

enum kist_result kist_ping(struct kist *kist, struct kist_outcome *outcome);
/* KIST_OK if the daemon serves requests now, else what any other operation would return: KIST_LOCKED, KIST_AUDIT_UNAVAILABLE, KIST_INTERNAL. */
enum kist_result kist_ready(struct kist *kist, struct kist_outcome *outcome);
enum kist_result kist_describe(struct kist *kist, struct kist_describe_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_list_keys(struct kist *kist, const struct kist_list_keys_request *request, struct kist_list_keys_reply *reply,
                                struct kist_buffer room, struct kist_outcome *outcome);
/* The id, KIST_KEY_ID_SIZE bytes, of the one key whose label the pattern covers; destroyed keys are passed over.  `room` takes a page of
 * the listing.  KIST_E_NO_KEY or KIST_E_SEVERAL_KEYS if there is not exactly one. */
enum kist_result kist_find_key(struct kist *kist, const char *pattern, uint8_t *key, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_describe_key(struct kist *kist, const uint8_t *key, struct kist_key_description *reply, struct kist_buffer room,
                                   struct kist_outcome *outcome);
enum kist_result kist_random(struct kist *kist, const struct kist_random_request *request, struct kist_random_reply *reply,
                             struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_who(struct kist *kist, struct kist_who_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_audit_digest(struct kist *kist, const struct kist_audit_digest_request *request,
                                   struct kist_audit_digest_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
/* Apple signs key, data, transaction id and application data as one text, without their lengths: do not count or compare by the
 * transaction id of a token that was only verified [OP-VERIFY-1].  Opening it proves that, too. */
enum kist_result kist_verify_payment_token(struct kist *kist, const uint8_t *key, const struct kist_verify_payment_token_request *request,
                                           struct kist_verify_payment_token_reply *reply, struct kist_outcome *outcome);
/* A NULL key means the key that the token names. */
enum kist_result kist_open_payment_token(struct kist *kist, const uint8_t *key, const struct kist_open_payment_token_request *request,
                                         struct kist_open_payment_token_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
/* Fills KIST_RETRY_KEY_SIZE bytes at random; false if the kernel has none.  With such a key as `retry_key` the same user can send the
 * very same request again after a lost reply, for as long as the merchant's retry_window.  Use each for one payment alone. */
bool kist_make_retry_key(uint8_t *key);
/* Opens a token with a retry key, and if the reply is lost (KIST_E_DISCONNECTED, KIST_E_TIMEOUT) sends the same once more, on a new
 * connection and with a new time-out.  If the daemon then cannot be reached, is locked, or serves nobody (KIST_AUDIT_UNAVAILABLE, or KIST_BUSY
 * without a wait), the result and the outcome are the first one's, for it may have been carried out.  After either error, and after KIST_BUSY,
 * the call can be made again with the same request. */
enum kist_result kist_open_payment_token_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_payment_token_request *request,
                                                  struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                                  struct kist_outcome *outcome);
enum kist_result kist_provision_pass(struct kist *kist, const uint8_t *key, const struct kist_provision_pass_request *request,
                                     struct kist_provision_pass_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_provision_trace(struct kist *kist, const struct kist_provision_trace_request *request,
                                      struct kist_provision_trace_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_sign_otp(struct kist *kist, const uint8_t *key, const struct kist_sign_otp_request *request,
                               struct kist_sign_otp_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_verify_otp(struct kist *kist, const uint8_t *key, const struct kist_verify_otp_request *request,
                                 struct kist_verify_otp_reply *reply, struct kist_outcome *outcome);
/* Ends the codes of the subject's authenticator before. */
enum kist_result kist_enrol_authenticator(struct kist *kist, const uint8_t *key, const struct kist_enrol_authenticator_request *request,
                                          struct kist_enrol_authenticator_reply *reply, struct kist_buffer room,
                                          struct kist_outcome *outcome);

/* A handle in a reply refers to a secret in the daemon; it ends with this connection. */
enum kist_result kist_ecdh(struct kist *kist, const uint8_t *key, const struct kist_ecdh_request *request, struct kist_ecdh_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_kdf(struct kist *kist, const uint8_t *key, const struct kist_kdf_request *request, struct kist_kdf_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_seal(struct kist *kist, const uint8_t *key, const struct kist_seal_request *request, struct kist_seal_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_unseal(struct kist *kist, const uint8_t *key, const struct kist_unseal_request *request,
                             struct kist_unseal_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_sign(struct kist *kist, const uint8_t *key, const struct kist_sign_request *request, struct kist_sign_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
/* KIST_OK if the signature is the key's, KIST_REJECTED if not. */
enum kist_result kist_verify(struct kist *kist, const uint8_t *key, const struct kist_verify_request *request, struct kist_outcome *outcome);
enum kist_result kist_mac(struct kist *kist, const uint8_t *key, const struct kist_mac_request *request, struct kist_mac_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome);
/* KIST_OK if the code is right, KIST_REJECTED if not. */
enum kist_result kist_verify_mac(struct kist *kist, const uint8_t *key, const struct kist_verify_mac_request *request,
                                 struct kist_outcome *outcome);
enum kist_result kist_unwrap(struct kist *kist, const uint8_t *key, const struct kist_unwrap_request *request,
                             struct kist_unwrap_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_release_handle(struct kist *kist, const uint8_t *key, const struct kist_release_handle_request *request,
                                     struct kist_outcome *outcome);
enum kist_result kist_tokenise(struct kist *kist, const uint8_t *key, const struct kist_tokenise_request *request,
                               struct kist_tokenise_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_detokenise(struct kist *kist, const uint8_t *key, const struct kist_detokenise_request *request,
                                 struct kist_detokenise_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_open_envelope(struct kist *kist, const uint8_t *key, const struct kist_open_envelope_request *request,
                                    struct kist_open_payment_token_reply *reply, struct kist_buffer room, struct kist_outcome *outcome);
/* Opens an envelope with a retry key, as kist_open_payment_token_retrying a token: also one that opens once. */
enum kist_result kist_open_envelope_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_envelope_request *request,
                                             struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                             struct kist_outcome *outcome);

/*
 * JWS in compact serialisation (RFC 7515 §7.1) over kist_sign: the algorithm follows from the scheme, and the header has no members
 * but these. NULL and 0 are left out; texts are printable ASCII without " and \.
 */
struct kist_jws_header {
  const char *kid, *typ, *cty, *iss, *aud;
  uint64_t iat, exp, nbf; /* seconds since 1970 */
};
#define KIST_JWS_HEADER_MOST 2048
/*
 * Writes what kist_sign is to sign into `out`, and returns its size; 0 if JWS has no name for the scheme (enum kist_signature_scheme),
 * if the header has a text that it must not have, or if `size` is too small.
 */
size_t kist_jws_input(uint32_t scheme, const struct kist_jws_header *header, const uint8_t *payload, size_t payload_size, char *out, size_t size);
/* Makes the JWS of the `count` bytes of such an input, in place, and returns its size; 0 if `size` is too small. There is no zero byte at its end. */
size_t kist_jws_compact(char *input, size_t count, size_t size, const uint8_t *signature, size_t signature_size);

/* For operators, on their own socket: unix:/run/kist/admin.sock. */
enum kist_result kist_status(struct kist *kist, struct kist_status_report *reply, struct kist_buffer room, struct kist_outcome *outcome);
enum kist_result kist_unlock(struct kist *kist, const struct kist_unlock_request *request, struct kist_outcome *outcome);
enum kist_result kist_lock(struct kist *kist, struct kist_outcome *outcome);
enum kist_result kist_import_key(struct kist *kist, const struct kist_import_key_request *request, struct kist_key_description *reply,
                                 struct kist_buffer room, struct kist_outcome *outcome);

/*
 * Pipelining: several requests, then their replies in the same order.  `request` is the operation's request struct, or
 * NULL if it has none.  Any other call in between fails with KIST_E_ORDER, so give each thread that pipelines its own
 * handle.  A request that is submitted waits in the handle until kist_collect or kist_flush sends all that wait at once:
 * so they are read together, and share one commit of the daemon's audit log.  kist_close drops what was not sent.
 */
/* It has no outcome, so there is no `breach` of its KIST_E_REQUEST and no `system_error` of its KIST_E_UNREACHABLE: the operation's function says more. */
enum kist_result kist_submit(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request);
/* Sends what was submitted, for a caller who has something else to do before the first kist_collect. */
enum kist_result kist_flush(struct kist *kist);
/* Sends what was submitted, and waits for the oldest reply. `reply` is the reply struct of the operation that was submitted, or NULL if it has none. */
enum kist_result kist_collect(struct kist *kist, void *reply, struct kist_buffer room, struct kist_outcome *outcome);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
