/* The numbers, messages and operations of the protocol; kist.h includes it. Written by proto/generate.py from kist.proto: do not edit. */
#ifndef KIST_H
#error include kist.h
#endif

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

/* Apple's token formats. */
enum kist_token_version {
  KIST_EC_V1 = 1,
  KIST_RSA_V1 = 2
};

/* A field of an opened token that policy can release. */
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

/* A key derivation function with its hash. */
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

/* A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER. */
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

/* A message authentication code, for a key behind a handle. */
enum kist_mac_algorithm {
  KIST_HMAC_SHA256 = 1,
  KIST_HMAC_SHA384 = 2,
  KIST_HMAC_SHA512 = 3,
  KIST_AES_CMAC = 4
};

/* What stands in the audit log as a keyed digest only. */
enum kist_digest_field {
  KIST_DIGEST_TRANSACTION = 1,
  KIST_DIGEST_PAN = 2,
  KIST_DIGEST_SUBJECT = 3
};

/* A field of a provisioning request that a rejection is about. */
enum kist_pass_field {
  KIST_ENCRYPTED_PRIMARY_ACCOUNT_NUMBER = 1,
  KIST_EXPIRATION = 2,
  KIST_NAME = 3,
  KIST_NETWORK_NAME = 4,
  KIST_NONCE = 5,
  KIST_NONCE_SIGNATURE = 6,
  KIST_PRIMARY_ACCOUNT_IDENTIFIER = 7,
  KIST_PRIMARY_ACCOUNT_NUMBER = 8,
  KIST_PRIMARY_ACCOUNT_NUMBER_PREFIX = 9,
  KIST_PRODUCT_TYPE = 10,
  KIST_ACCOUNT_ENVELOPE = 11,
  KIST_ACTIVATION = 12,
  KIST_ACCOUNT_SURROGATE = 13
};

/* How a pass is encrypted. */
enum kist_encryption_scheme {
  KIST_EV_ECC_V2 = 1,
  KIST_EV_RSA_V2 = 2 /* always refused */
};

/* Which members a pass's payment data has: the columns of table 9-1 of Apple's guide. */
enum kist_pass_configuration {
  KIST_ACCOUNT_NUMBER = 1,
  KIST_ACCOUNT_IDENTIFIER = 2,
  KIST_ENCRYPTED_ACCOUNT_NUMBER = 3,
  KIST_ENCRYPTED_ACCOUNT_NUMBER_UNNAMED = 4
};

/* What a value for Visa Token Service is for. */
enum kist_visa_type {
  KIST_MBPAC = 1,
  KIST_MBPAD = 2,
  KIST_MPAC = 3,
  KIST_MPAD = 4
};

/* The hash of a counted or timed code. */
enum kist_otp_hash {
  KIST_OTP_SHA1 = 1,
  KIST_OTP_SHA256 = 2,
  KIST_OTP_SHA512 = 3
};

/* Messages; a field that is zero is absent.  Numbers of enums are uint32_t, since a daemon may know more of them. */

/* A payment token, decoded from the base64 and hex of Apple's JSON. */
struct kist_payment_token {
  uint32_t version; /* enum kist_token_version */
  struct kist_bytes data; /* ciphertext and 16-byte tag */
  struct kist_bytes signature; /* detached CMS SignedData */
  struct kist_bytes ephemeral_public_key; /* EC_v1: SubjectPublicKeyInfo, 91 bytes */
  struct kist_bytes wrapped_key; /* RSA_v1 */
  struct kist_bytes public_key_hash; /* 32 bytes */
  struct kist_bytes transaction_id; /* 32 bytes */
  struct kist_bytes application_data; /* 32 bytes; or absent */
};

/* An operation that the daemon knows. */
struct kist_operation_description {
  uint32_t opcode; /* as in the table of operations */
  struct kist_bytes name;
  uint32_t request_cap; /* bytes, header included */
};

struct kist_describe_reply {
  struct kist_bytes product_version;
  uint32_t wire_version; /* 1 */
  struct kist_operation_description operations[256]; /* all that the daemon knows */
  size_t operations_count;
  uint32_t in_flight;
  bool rehearsal;
};

/* What a key for one-time values needs besides its role; absent for the usual, or where the role has
 * no such thing. */
struct kist_otp_parameters {
  struct kist_bytes key_set; /* otp-visa: such as 123456.1 */
  struct kist_bytes key_alias; /* otp-mastercard */
  uint32_t digits; /* otp-hotp, otp-totp: 6 to 8, and so on */
  uint32_t hash; /* enum kist_otp_hash; otp-hotp, otp-totp: of their HMAC */
  uint32_t step; /* otp-totp: seconds */
  struct kist_optional window; /* counters, or time steps either way */
  uint32_t failures; /* before a lock-out */
  uint32_t lockout; /* seconds */
};

/* What anyone who may use a key may know of it. */
struct kist_key_description {
  struct kist_bytes id; /* 16 bytes */
  struct kist_bytes label;
  struct kist_bytes role;
  struct kist_bytes state;
  struct kist_bytes algorithm;
  struct kist_bytes usage;
  struct kist_bytes merchant_identifier;
  struct kist_bytes public_key; /* SubjectPublicKeyInfo; not in listings */
  struct kist_bytes check_value; /* SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV */
  struct kist_bytes certificate; /* DER; not in listings */
  uint64_t created; /* seconds since 1970, as all times here */
  uint64_t activated; /* zero for never */
  uint64_t not_after;
  uint64_t last_use; /* zero for never */
  uint64_t uses;
  struct kist_otp_parameters otp; /* of a key for one-time values */
  bool exportable; /* whether it may leave under an exchange key */
  uint64_t not_before;
  uint64_t use_limit; /* zero for any number of uses */
};

struct kist_list_keys_request {
  struct kist_bytes prefix;
  struct kist_bytes after;
  struct kist_bytes pattern; /* as policy has it: a label, or one that ends in a slash and * */
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

/* What one grant gives the caller; whom else it covers is left out. */
struct kist_right {
  struct kist_bytes grant; /* its id in the policy */
  struct kist_bytes operations[64]; /* names */
  size_t operations_count;
  struct kist_bytes keys[128]; /* labels, and prefixes that end in * */
  size_t keys_count;
  struct kist_bytes released[64];
  size_t released_count;
  bool stages; /* whether rejections name theirs */
  struct kist_bytes rate; /* such as 200/s */
  struct kist_bytes quota; /* such as 5000/d */
  struct kist_bytes key_quota;
  uint64_t until; /* the first second at which it is not in force; zero for no end */
  struct kist_bytes hours[16]; /* such as mon-fri 08:00-18:00, UTC */
  size_t hours_count;
};

struct kist_who_reply {
  uint32_t uid; /* as the kernel says */
  uint32_t gid; /* as the kernel says */
  struct kist_bytes unit; /* absent where the daemon sees none */
  struct kist_right rights[24]; /* what the caller may do on this socket */
  size_t rights_count;
  bool more; /* some of it did not fit */
};

struct kist_audit_digest_request {
  uint32_t field; /* enum kist_digest_field */
  struct kist_bytes value; /* 32 bytes of a transaction id, digits, or the subject of codes */
};

struct kist_audit_digest_reply {
  struct kist_bytes digest; /* hmac-sha256: and 64 digits */
};

struct kist_verify_payment_token_request {
  struct kist_payment_token token; /* decoded from Apple's JSON */
  struct kist_bytes expected_application_data; /* 32 bytes */
};

struct kist_verify_payment_token_reply {
  uint64_t signing_time; /* seconds since 1970, by the signature */
};

struct kist_open_payment_token_request {
  struct kist_payment_token token; /* decoded from Apple's JSON */
  uint32_t release; /* KIST_RELEASE of each; strictly ascending; absent asks for all that is granted */
  struct kist_bytes expected_currency; /* ISO 4217 numeric */
  struct kist_optional expected_amount; /* minor units */
  struct kist_bytes expected_application_data; /* 32 bytes */
  uint32_t required; /* KIST_RELEASE of each; strictly ascending; without any of these the token is not to be opened */
  struct kist_bytes retry_key; /* 16 random bytes; the same request with it opens again after a lost reply */
};

/* The released fields of an opened token; one that was not released, or that the token does not have,
 * is absent. */
struct kist_open_payment_token_reply {
  struct kist_bytes dpan;
  struct kist_bytes last4;
  struct kist_bytes bin;
  struct kist_bytes network;
  struct kist_bytes expiry; /* YYMMDD */
  struct kist_bytes currency;
  struct kist_optional amount; /* minor units */
  struct kist_bytes cryptogram; /* base64 text, as Apple wrote it */
  struct kist_bytes eci;
  struct kist_bytes payment_data_type; /* 3DSecure or EMV */
  struct kist_bytes device_manufacturer; /* hexadecimal */
  struct kist_bytes emv_data; /* base64 text, as Apple wrote it */
  struct kist_bytes encrypted_pin; /* hexadecimal, of EMV */
  struct kist_bytes cardholder_name; /* if the issuer gave it */
  struct kist_bytes authentication_responses; /* JSON */
  struct kist_bytes merchant_token; /* JSON: merchantTokenIdentifier and merchantTokenMetadata */
  struct kist_bytes raw; /* the whole decrypted JSON */
  uint64_t signing_time; /* seconds since 1970, by the signature */
  struct kist_bytes surrogate;
  struct kist_bytes envelope;
  struct kist_bytes jwe; /* everything that is released, for a partner: compact serialisation */
};

/* For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry. */
struct kist_visa_input {
  uint32_t type; /* enum kist_visa_type; which of Visa's values */
  struct kist_bytes nonce; /* 1 to 64 bytes */
  struct kist_bytes authentication_code; /* 1 to 32 letters and digits */
  struct kist_bytes account_number; /* digits */
  struct kist_bytes expiry; /* MMYY */
};

/* For Mastercard's MDES. */
struct kist_mastercard_input {
  uint32_t version; /* 2, 3 or 4 */
  struct kist_bytes account_number; /* digits */
  struct kist_bytes expiry; /* MMYY */
  struct kist_bytes token_reference; /* version 2 */
  uint64_t valid_until; /* versions 3 and 4; absent for half an hour */
};

/* A card's number by its surrogate. */
struct kist_account_surrogate {
  struct kist_bytes surrogate;
  struct kist_bytes key; /* 16 bytes: the key that made it */
  struct kist_bytes merchant_identifier;
};

struct kist_provision_pass_request {
  uint32_t scheme; /* enum kist_encryption_scheme; EV_ECC_v2; the other is refused */
  struct kist_bytes certificates[3]; /* DER, one to three in any order */
  size_t certificates_count;
  uint32_t configuration; /* enum kist_pass_configuration; which of Apple's four */
  struct kist_bytes encrypted_primary_account_number;
  struct kist_bytes expiration; /* MM/YY */
  struct kist_bytes name;
  struct kist_bytes network_name;
  struct kist_bytes nonce;
  struct kist_bytes nonce_signature;
  struct kist_bytes primary_account_identifier;
  struct kist_bytes primary_account_number;
  struct kist_bytes primary_account_number_prefix; /* its first digits */
  struct kist_bytes product_type;
  struct kist_bytes account_envelope; /* in place of the number */
  struct kist_bytes envelope_context; /* what it was sealed with besides */
  struct kist_visa_input visa;
  struct kist_mastercard_input mastercard;
  struct kist_bytes activation_data; /* another network's, passed through */
  struct kist_account_surrogate account_surrogate; /* in place of the number */
  struct kist_bytes network_key; /* 16 bytes: encrypts the number for the network */
};

struct kist_provision_pass_reply {
  struct kist_bytes encrypted_pass_data; /* ciphertext and 16-byte tag */
  struct kist_bytes ephemeral_public_key; /* 65 bytes */
  struct kist_bytes activation_data;
};

struct kist_provision_trace_request {
  struct kist_bytes recipient; /* 65 bytes; the public key, as an uncompressed point */
  struct kist_bytes ephemeral_private_key; /* 32 bytes; the scalar */
  struct kist_bytes pass_data; /* what is sealed */
};

struct kist_provision_trace_reply {
  struct kist_bytes public_key_hash; /* 32 bytes */
  struct kist_bytes ephemeral_public_key; /* 65 bytes */
  struct kist_bytes shared_secret; /* 32 bytes; Z */
  struct kist_bytes other_info; /* 84 bytes */
  struct kist_bytes shared_key; /* 32 bytes; the content key */
  struct kist_bytes encrypted_pass_data; /* ciphertext and tag */
};

struct kist_sign_otp_request {
  struct kist_bytes subject; /* of a code */
  struct kist_optional counter; /* of a counted code; absent for the next */
  struct kist_visa_input visa;
  struct kist_mastercard_input mastercard;
  struct kist_bytes account_envelope; /* in place of the number */
  struct kist_bytes envelope_context; /* what it was sealed with besides */
  struct kist_account_surrogate account_surrogate;
};

struct kist_sign_otp_reply {
  struct kist_bytes otp; /* the value or code */
  struct kist_optional counter; /* of a code: its counter or time step */
};

struct kist_verify_otp_request {
  struct kist_bytes subject;
  struct kist_bytes code; /* 6 to 8 digits */
};

struct kist_verify_otp_reply {
  uint64_t counter; /* that the code was right for, or the time step */
};

struct kist_enrol_authenticator_request {
  struct kist_bytes subject;
  struct kist_bytes retry_key; /* 16 bytes; random, for this enrolment alone */
};

struct kist_enrol_authenticator_reply {
  struct kist_bytes secret; /* 20, 32 or 64 bytes, as long as the key's hash */
  uint32_t number; /* the subject's first authenticator is 1 */
  struct kist_otp_parameters otp; /* how its codes are made */
};

struct kist_ecdh_request {
  struct kist_bytes peer; /* an uncompressed point, or a SubjectPublicKeyInfo with a named curve */
  bool release;
};

/* One of the two. */
struct kist_ecdh_reply {
  struct kist_bytes handle; /* 16 bytes; of Z; absent where it is released */
  struct kist_bytes shared_secret; /* Z: 32 or 48 bytes */
};

/* The parts of OtherInfo, put behind one another as they are. */
struct kist_other_info {
  struct kist_bytes algorithm_id; /* SP 800-56A r3 §5.8.2.1.1 */
  struct kist_bytes party_u_info; /* the same */
  struct kist_bytes party_v_info; /* the same */
  struct kist_bytes supp_pub_info; /* the same */
  struct kist_bytes supp_priv_info; /* the same */
};

struct kist_kdf_request {
  struct kist_bytes handle; /* 16 bytes; of a shared secret */
  uint32_t derivation; /* enum kist_derivation; which function */
  uint32_t count; /* 16 to 256 bytes */
  struct kist_bytes info; /* OtherInfo, SharedInfo or info as one */
  struct kist_other_info other_info; /* or in parts */
  struct kist_bytes salt; /* HKDF */
  bool release;
};

/* One of the two. */
struct kist_kdf_reply {
  struct kist_bytes handle; /* 16 bytes; of the derived key; absent where it is released */
  struct kist_bytes derived_key; /* only where it is released */
};

struct kist_seal_request {
  struct kist_bytes handle; /* 16 bytes, or absent for the stored key */
  struct kist_bytes plaintext;
  struct kist_bytes associated_data;
};

struct kist_seal_reply {
  struct kist_bytes sealed; /* an envelope */
};

struct kist_unseal_request {
  struct kist_bytes handle; /* 16 bytes, or absent for the stored key */
  struct kist_bytes iv; /* 12 or 16 bytes; absent for an envelope */
  struct kist_bytes sealed; /* an envelope; ciphertext and tag where there is an IV */
  struct kist_bytes associated_data;
};

struct kist_unseal_reply {
  struct kist_bytes plaintext;
};

struct kist_sign_request {
  uint32_t scheme; /* enum kist_signature_scheme; which signature */
  bool digested; /* message is the message's digest */
  struct kist_bytes message;
};

struct kist_sign_reply {
  struct kist_bytes signature;
};

struct kist_verify_request {
  uint32_t scheme; /* enum kist_signature_scheme; which signature */
  bool digested; /* message is the message's digest */
  struct kist_bytes message;
  struct kist_bytes signature;
};

struct kist_mac_request {
  struct kist_bytes handle; /* 16 bytes, or absent for the stored key */
  uint32_t algorithm; /* enum kist_mac_algorithm; with a handle, and only then */
  uint32_t length; /* of the code; absent for all of it */
  struct kist_bytes message;
};

struct kist_mac_reply {
  struct kist_bytes mac;
};

struct kist_verify_mac_request {
  struct kist_bytes handle; /* 16 bytes, or absent for the stored key */
  uint32_t algorithm; /* enum kist_mac_algorithm; with a handle, and only then */
  uint32_t length; /* that the code must have; absent for all of it */
  struct kist_bytes message;
  struct kist_bytes mac;
};

struct kist_unwrap_request {
  struct kist_bytes wrapped_key; /* as long as the modulus */
};

struct kist_unwrap_reply {
  struct kist_bytes handle; /* 16 bytes; of the key that was wrapped */
};

struct kist_release_handle_request {
  struct kist_bytes handle; /* 16 bytes; what is no longer needed */
};

/* Either for a surrogate, without the last two fields, or for an envelope. */
struct kist_tokenise_request {
  struct kist_bytes pan; /* digits */
  struct kist_bytes merchant_identifier;
  struct kist_bytes transaction_id; /* 32 bytes */
  uint32_t lifetime; /* seconds */
};

/* One of the two. */
struct kist_tokenise_reply {
  struct kist_bytes surrogate; /* digits */
  struct kist_bytes envelope;
};

struct kist_detokenise_request {
  struct kist_bytes surrogate; /* digits */
  struct kist_bytes merchant_identifier;
};

struct kist_detokenise_reply {
  struct kist_bytes pan; /* digits */
};

/* The reply is an OpenPaymentTokenReply, and so is what the envelope holds. */
struct kist_open_envelope_request {
  struct kist_bytes envelope;
  struct kist_bytes merchant_identifier;
  struct kist_bytes transaction_id; /* 32 bytes */
  uint32_t release; /* KIST_RELEASE of each; strictly ascending; absent asks for all that is granted */
  uint32_t required; /* KIST_RELEASE of each; strictly ascending; without any of these the envelope is not to be opened */
  struct kist_bytes retry_key; /* 16 random bytes; the same request with it opens again after a lost reply */
};

struct kist_status_report {
  struct kist_bytes state;
  struct kist_bytes product_version;
  bool rehearsal;
  uint64_t started; /* seconds since 1970 */
  uint32_t keys;
  uint32_t connections; /* open now */
  uint64_t audit_size; /* records in the log */
  struct kist_bytes audit_root;
  struct kist_bytes audit_verifier_key;
  struct kist_bytes policy_hash;
  struct kist_bytes arena;
  uint64_t arena_capacity; /* bytes */
  uint64_t arena_used; /* bytes */
  uint64_t arena_peak; /* the most bytes that were in use */
  bool dumpable; /* whether the kernel would let the process be traced */
  uint64_t locked_bytes;
  uint64_t swapped_bytes;
  bool core_dumps; /* whether the kernel would write one */
  struct kist_optional ptrace_scope; /* absent without Yama */
  uint32_t seccomp;
  bool landlock;
  struct kist_bytes audit_condition;
  uint64_t audit_free;
  uint64_t stack_capacity;
  uint64_t resident_bytes;
  struct kist_bytes unmatched_grants;
  uint64_t next_key_end;
  bool code_intact;
  uint32_t store_fill;
};

struct kist_unlock_request {
  struct kist_bytes passphrase; /* 1 to 1024 bytes */
};

struct kist_import_key_request {
  struct kist_bytes label;
  struct kist_bytes role;
  struct kist_bytes private_key; /* RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in import-block a key block's characters */
  struct kist_bytes certificate; /* DER */
  struct kist_bytes merchant_identifier;
  bool activate; /* at once, instead of by activate-key */
  uint64_t not_after;
  struct kist_otp_parameters otp; /* of a key for one-time values */
  bool exportable;
  struct kist_bytes jwe_members; /* of a partner's key: name=value for each member of its JWEs' headers */
};

/* Operations */

/* Asks whether a daemon is there; needs no grant and leaves no audit record. */
enum kist_result kist_ping(struct kist *kist, struct kist_outcome *outcome);
/* What the daemon is, and which operations it has. */
enum kist_result kist_describe(struct kist *kist, struct kist_describe_reply *reply,
                               struct kist_buffer room, struct kist_outcome *outcome);
/* At most 64 of the keys that the caller may list, by label, and whether more follow. */
enum kist_result kist_list_keys(struct kist *kist, const struct kist_list_keys_request *request,
                                struct kist_list_keys_reply *reply, struct kist_buffer room,
                                struct kist_outcome *outcome);
/* One key, with its public key and certificate; nothing of a private or secret key. */
enum kist_result kist_describe_key(struct kist *kist, const uint8_t *key,
                                   struct kist_key_description *reply, struct kist_buffer room,
                                   struct kist_outcome *outcome);
/* Random bytes of the daemon's kernel. */
enum kist_result kist_random(struct kist *kist, const struct kist_random_request *request,
                             struct kist_random_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome);
/* Who the caller is to the daemon, and what it may do now. */
enum kist_result kist_who(struct kist *kist, struct kist_who_reply *reply, struct kist_buffer room,
                          struct kist_outcome *outcome);
/* The keyed digest that stands for a value in the audit log. */
enum kist_result kist_audit_digest(struct kist *kist,
                                   const struct kist_audit_digest_request *request,
                                   struct kist_audit_digest_reply *reply, struct kist_buffer room,
                                   struct kist_outcome *outcome);
/* Returns if requests are served now, and fails as any other operation would if not; needs no grant
 * and leaves no audit record. */
enum kist_result kist_ready(struct kist *kist, struct kist_outcome *outcome);
/* Verifies a token as Apple requires, without opening it: do not count or compare by the transaction
 * id of one that was only verified [OP-VERIFY-1]. */
enum kist_result kist_verify_payment_token(struct kist *kist, const uint8_t *key,
                                           const struct kist_verify_payment_token_request *request,
                                           struct kist_verify_payment_token_reply *reply,
                                           struct kist_outcome *outcome);
/* Verifies a token as Apple requires, and opens it once. */
enum kist_result kist_open_payment_token(struct kist *kist, const uint8_t *key,
                                         const struct kist_open_payment_token_request *request,
                                         struct kist_open_payment_token_reply *reply,
                                         struct kist_buffer room, struct kist_outcome *outcome);
/* Seals a card for Apple Wallet. */
enum kist_result kist_provision_pass(struct kist *kist, const uint8_t *key,
                                     const struct kist_provision_pass_request *request,
                                     struct kist_provision_pass_reply *reply,
                                     struct kist_buffer room, struct kist_outcome *outcome);
/* Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers. */
enum kist_result kist_provision_trace(struct kist *kist,
                                      const struct kist_provision_trace_request *request,
                                      struct kist_provision_trace_reply *reply,
                                      struct kist_buffer room, struct kist_outcome *outcome);
/* A one-time value of the kind that the key's role makes: a network's value from its input, or a
 * person's code. */
enum kist_result kist_sign_otp(struct kist *kist, const uint8_t *key,
                               const struct kist_sign_otp_request *request,
                               struct kist_sign_otp_reply *reply, struct kist_buffer room,
                               struct kist_outcome *outcome);
/* Checks a person's code, which is accepted once; a wrong one is rejected. */
enum kist_result kist_verify_otp(struct kist *kist, const uint8_t *key,
                                 const struct kist_verify_otp_request *request,
                                 struct kist_verify_otp_reply *reply, struct kist_outcome *outcome);
/* A new secret for a person's authenticator; the codes of the one before end. */
enum kist_result kist_enrol_authenticator(struct kist *kist, const uint8_t *key,
                                          const struct kist_enrol_authenticator_request *request,
                                          struct kist_enrol_authenticator_reply *reply,
                                          struct kist_buffer room, struct kist_outcome *outcome);
/* Agrees on a secret with a peer; it stays in the daemon, for one derivation. */
enum kist_result kist_ecdh(struct kist *kist, const uint8_t *key,
                           const struct kist_ecdh_request *request, struct kist_ecdh_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
/* Derives a key from a secret, which this uses up; the key stays in the daemon. */
enum kist_result kist_kdf(struct kist *kist, const uint8_t *key,
                          const struct kist_kdf_request *request, struct kist_kdf_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome);
/* Seals up to 64 KiB with AES-256-GCM into an envelope that names its key. */
enum kist_result kist_seal(struct kist *kist, const uint8_t *key,
                           const struct kist_seal_request *request, struct kist_seal_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
/* Opens an envelope, or ciphertext and tag that others made. */
enum kist_result kist_unseal(struct kist *kist, const uint8_t *key,
                             const struct kist_unseal_request *request,
                             struct kist_unseal_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome);
/* Signs a message of up to 64 KiB, or its digest. */
enum kist_result kist_sign(struct kist *kist, const uint8_t *key,
                           const struct kist_sign_request *request, struct kist_sign_reply *reply,
                           struct kist_buffer room, struct kist_outcome *outcome);
/* Returns if the signature is the key's; it is rejected if not. */
enum kist_result kist_verify(struct kist *kist, const uint8_t *key,
                             const struct kist_verify_request *request,
                             struct kist_outcome *outcome);
/* A message authentication code. */
enum kist_result kist_mac(struct kist *kist, const uint8_t *key,
                          const struct kist_mac_request *request, struct kist_mac_reply *reply,
                          struct kist_buffer room, struct kist_outcome *outcome);
/* Returns if the code is right; it is rejected if not. */
enum kist_result kist_verify_mac(struct kist *kist, const uint8_t *key,
                                 const struct kist_verify_mac_request *request,
                                 struct kist_outcome *outcome);
/* Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon. */
enum kist_result kist_unwrap(struct kist *kist, const uint8_t *key,
                             const struct kist_unwrap_request *request,
                             struct kist_unwrap_reply *reply, struct kist_buffer room,
                             struct kist_outcome *outcome);
/* Has the daemon wipe a secret before its time is over. */
enum kist_result kist_release_handle(struct kist *kist, const uint8_t *key,
                                     const struct kist_release_handle_request *request,
                                     struct kist_outcome *outcome);
/* The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it. */
enum kist_result kist_tokenise(struct kist *kist, const uint8_t *key,
                               const struct kist_tokenise_request *request,
                               struct kist_tokenise_reply *reply, struct kist_buffer room,
                               struct kist_outcome *outcome);
/* The PAN that a surrogate stands in for. */
enum kist_result kist_detokenise(struct kist *kist, const uint8_t *key,
                                 const struct kist_detokenise_request *request,
                                 struct kist_detokenise_reply *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome);
/* What is sealed in a payment envelope, as far as policy releases it. */
enum kist_result kist_open_envelope(struct kist *kist, const uint8_t *key,
                                    const struct kist_open_envelope_request *request,
                                    struct kist_open_payment_token_reply *reply,
                                    struct kist_buffer room, struct kist_outcome *outcome);
/* How the daemon is. */
enum kist_result kist_status(struct kist *kist, struct kist_status_report *reply,
                             struct kist_buffer room, struct kist_outcome *outcome);
/* Opens the key store with a passphrase. */
enum kist_result kist_unlock(struct kist *kist, const struct kist_unlock_request *request,
                             struct kist_outcome *outcome);
/* Ends serving, and wipes the keys. */
enum kist_result kist_lock(struct kist *kist, struct kist_outcome *outcome);
/* Takes a key into the key store, and describes it. */
enum kist_result kist_import_key(struct kist *kist, const struct kist_import_key_request *request,
                                 struct kist_key_description *reply, struct kist_buffer room,
                                 struct kist_outcome *outcome);
