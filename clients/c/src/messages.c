/*
 * The tables of every message, in the order of proto/kist.proto, and of the operations; bounds are those of PROTOCOL.md section 7.
 * A rule between the fields of a message stands before it, and returns the number of the field at fault, else 0.
 */
#include "names.h"
#include "operation.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define ANY_LENGTH UINT32_MAX

#define FIELD(KIND, PRESENCE, NUMBER, NAME, LEAST, MOST) \
  {.number = NUMBER, .kind = KIND, .presence = PRESENCE, .name = #NAME, .offset = offsetof(struct SELF, NAME), .least = LEAST, .most = MOST}

#define BYTES(NUMBER, NAME, MOST) FIELD(FIELD_BYTES, PRESENCE_ANY, NUMBER, NAME, 0, MOST)
#define BYTES_IF_ANY(NUMBER, NAME, SIZE) FIELD(FIELD_BYTES, PRESENCE_ANY, NUMBER, NAME, SIZE, SIZE)
#define BYTES_OF(NUMBER, NAME, SIZE) FIELD(FIELD_BYTES, PRESENCE_REQUIRED, NUMBER, NAME, SIZE, SIZE)
#define SOME_BYTES(NUMBER, NAME, MOST) FIELD(FIELD_BYTES, PRESENCE_REQUIRED, NUMBER, NAME, 1, MOST)
#define TEXT(NUMBER, NAME, MOST) FIELD(FIELD_TEXT, PRESENCE_ANY, NUMBER, NAME, 0, MOST)
#define SOME_TEXT(NUMBER, NAME, MOST) FIELD(FIELD_TEXT, PRESENCE_REQUIRED, NUMBER, NAME, 1, MOST)
#define UINT_32(NUMBER, NAME) FIELD(FIELD_UINT32, PRESENCE_ANY, NUMBER, NAME, 0, UINT32_MAX)
#define UINT_32_TO(NUMBER, NAME, MOST) FIELD(FIELD_UINT32, PRESENCE_ANY, NUMBER, NAME, 0, MOST)
#define UINT_32_IN(NUMBER, NAME, LEAST, MOST) FIELD(FIELD_UINT32, PRESENCE_REQUIRED, NUMBER, NAME, LEAST, MOST)
#define OPTIONAL_32(NUMBER, NAME) FIELD(FIELD_UINT32, PRESENCE_OPTIONAL, NUMBER, NAME, 0, UINT32_MAX)
#define UINT_64(NUMBER, NAME) FIELD(FIELD_UINT64, PRESENCE_ANY, NUMBER, NAME, 0, 0)
#define OPTIONAL_64(NUMBER, NAME) FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, NUMBER, NAME, 0, 0)
#define BOOL(NUMBER, NAME) FIELD(FIELD_BOOL, PRESENCE_ANY, NUMBER, NAME, 0, 1)
#define ENUM(NUMBER, NAME, MOST) FIELD(FIELD_ENUM, PRESENCE_REQUIRED, NUMBER, NAME, 1, MOST)
#define ENUM_IF_ANY(NUMBER, NAME, MOST) FIELD(FIELD_ENUM, PRESENCE_ANY, NUMBER, NAME, 1, MOST)
#define SET(NUMBER, NAME, MOST) FIELD(FIELD_SET, PRESENCE_ANY, NUMBER, NAME, 0, MOST)

#define NESTED(PRESENCE, NUMBER, NAME, MESSAGE, MOST)                                                                              \
  {.number = NUMBER, .kind = FIELD_MESSAGE, .presence = PRESENCE, .name = #NAME, .offset = offsetof(struct SELF, NAME), .most = MOST, \
   .message = &kist_message_##MESSAGE}
#define REPEATED(KIND, NUMBER, NAME, MESSAGE, MOST)                                                                                 \
  {.number = NUMBER, .kind = KIND, .presence = PRESENCE_REPEATED, .name = #NAME, .offset = offsetof(struct SELF, NAME), .most = MOST, \
   .message = MESSAGE, .count_offset = offsetof(struct SELF, NAME##_count), .count_most = COUNT_OF(((struct SELF *)0)->NAME)}

#define RULED_MESSAGE(STEM, NAME, RULE) \
  const struct message kist_message_##STEM = {NAME, sizeof(struct kist_##STEM), STEM##_fields, COUNT_OF(STEM##_fields), RULE};
#define MESSAGE(STEM, NAME) RULED_MESSAGE(STEM, NAME, NULL)

#define HANDLE(NUMBER) BYTES_OF(NUMBER, handle, 16)
#define HANDLE_IF_ANY(NUMBER) BYTES_IF_ANY(NUMBER, handle, 16)

enum {
  TOKEN_MOST = 64 * 1024 + 16 * 1024 + 2 * 1024 + 256,
  INPUT_MOST = 256, /* a visa or mastercard input, and parameters of one-time values */
  MESSAGE_MOST = 64 * 1024,
  SEALED_MOST = MESSAGE_MOST + 45,
  INFO_MOST = 1024,
  MODULUS_MOST = 512,
  DIGITS_MOST = 32,
  ENVELOPE_MOST = 64 * 1024 + 512,
  RELEASED_MOST = 64,
};

/* Every number of enum kist_released_field that can be asked for, so all but KIST_JWE; 18 is the signing time's place, and 19 is not used any more. */
static const uint32_t askable = 0x33FFFE;

static bool can_be_asked_for(uint32_t fields) { return (fields & ~askable) == 0; }

static bool is_iv(struct kist_bytes iv) { return iv.count == 0 || iv.count == 12 || iv.count == 16; }

#define SELF kist_payment_token
static const struct field payment_token_fields[] = {
    ENUM(1, version, KIST_RSA_V1),         BYTES(2, data, 64 * 1024),        BYTES(3, signature, 16 * 1024),
    BYTES(4, ephemeral_public_key, 1024),  BYTES(5, wrapped_key, 1024),      BYTES_OF(6, public_key_hash, 32),
    BYTES_OF(7, transaction_id, 32),       BYTES_IF_ANY(8, application_data, 32),
};
static MESSAGE(payment_token, "PaymentToken")
#undef SELF

#define SELF kist_malformation
static const struct field malformation_fields[] = {SOME_TEXT(1, why, 160)};
MESSAGE(malformation, "Malformation")
#undef SELF

#define SELF kist_busy
static const struct field busy_fields[] = {UINT_32_IN(1, retry_after, 1, 1209600000)};
MESSAGE(busy, "Busy")
#undef SELF

static uint32_t rejection_rule(const void *value) {
  const struct kist_rejection *rejection = value;
  if (!kist_stage_is_known(rejection->stage)) return 1;
  bool is_field = rejection->released_field == KIST_JWE || can_be_asked_for(KIST_RELEASE(rejection->released_field));
  return rejection->released_field == 0 || is_field ? 0 : 3;
}

#define SELF kist_rejection
static const struct field rejection_fields[] = {
    ENUM(1, stage, UINT8_MAX), ENUM_IF_ANY(2, field, 13), ENUM_IF_ANY(3, released_field, KIST_JWE)};
RULED_MESSAGE(rejection, "Rejection", rejection_rule)
#undef SELF

#define SELF kist_approval_needed
static const struct field approval_needed_fields[] = {TEXT(1, request, KIST_NAME_ROOM - 1), UINT_64(2, until)};
MESSAGE(approval_needed, "ApprovalNeeded")
#undef SELF

#define SELF kist_operation_description
static const struct field operation_description_fields[] = {UINT_32(1, opcode), TEXT(2, name, 64), UINT_32(3, request_cap)};
static MESSAGE(operation_description, "OperationDescription")
#undef SELF

#define SELF kist_describe_reply
static const struct field describe_reply_fields[] = {
    TEXT(1, product_version, 64),
    UINT_32(2, wire_version),
    REPEATED(FIELD_MESSAGE, 3, operations, &kist_message_operation_description, 128),
    UINT_32(4, in_flight),
    BOOL(5, rehearsal),
};
static MESSAGE(describe_reply, "DescribeReply")
#undef SELF

#define SELF kist_otp_parameters
static const struct field otp_parameters_fields[] = {
    TEXT(1, key_set, 64), TEXT(2, key_alias, 64),   UINT_32(3, digits),   ENUM_IF_ANY(4, hash, KIST_OTP_SHA512),
    UINT_32(5, step),     OPTIONAL_32(6, window),   UINT_32(7, failures), UINT_32(8, lockout),
};
static MESSAGE(otp_parameters, "OtpParameters")
#undef SELF

#define SELF kist_key_description
static const struct field key_description_fields[] = {
    BYTES_OF(1, id, 16),
    TEXT(2, label, 128),
    TEXT(3, role, 64),
    TEXT(4, state, 32),
    TEXT(5, algorithm, 32),
    TEXT(6, usage, 16),
    TEXT(7, merchant_identifier, 255),
    BYTES(8, public_key, 1024),
    BYTES(9, check_value, 32),
    BYTES(10, certificate, 8192),
    UINT_64(11, created),
    UINT_64(12, activated),
    UINT_64(13, not_after),
    UINT_64(14, last_use),
    UINT_64(15, uses),
    NESTED(PRESENCE_ANY, 16, otp, otp_parameters, INPUT_MOST),
    BOOL(17, exportable),
    UINT_64(18, not_before),
    UINT_64(19, use_limit),
};
static MESSAGE(key_description, "KeyDescription")
#undef SELF

#define SELF kist_list_keys_request
static const struct field list_keys_request_fields[] = {TEXT(1, prefix, 128), TEXT(2, after, 128), TEXT(3, pattern, 128)};
static MESSAGE(list_keys_request, "ListKeysRequest")
#undef SELF

#define SELF kist_list_keys_reply
static const struct field list_keys_reply_fields[] = {
    REPEATED(FIELD_MESSAGE, 1, keys, &kist_message_key_description, 16 * 1024), BOOL(2, more)};
static MESSAGE(list_keys_reply, "ListKeysReply")
#undef SELF

#define SELF kist_random_request
static const struct field random_request_fields[] = {UINT_32_IN(1, count, 1, 1024)};
static MESSAGE(random_request, "RandomRequest")
#undef SELF

#define SELF kist_random_reply
static const struct field random_reply_fields[] = {BYTES(1, random, 1024)};
static MESSAGE(random_reply, "RandomReply")
#undef SELF

#define SELF kist_right
static const struct field right_fields[] = {
    TEXT(1, grant, 64),
    REPEATED(FIELD_TEXT, 2, operations, NULL, 64),
    REPEATED(FIELD_TEXT, 3, keys, NULL, 128),
    REPEATED(FIELD_TEXT, 4, released, NULL, 64),
    BOOL(5, stages),
    TEXT(6, rate, 32),
    TEXT(7, quota, 32),
    TEXT(8, key_quota, 32),
    UINT_64(9, until),
    REPEATED(FIELD_TEXT, 10, hours, NULL, 32),
};
static MESSAGE(right, "Right")
#undef SELF

#define SELF kist_who_reply
static const struct field who_reply_fields[] = {
    UINT_32(1, uid), UINT_32(2, gid), TEXT(3, unit, 256), REPEATED(FIELD_MESSAGE, 4, rights, &kist_message_right, 32 * 1024), BOOL(5, more)};
static MESSAGE(who_reply, "WhoReply")
#undef SELF

#define SELF kist_audit_digest_request
static const struct field audit_digest_request_fields[] = {ENUM(1, field, KIST_DIGEST_SUBJECT), BYTES(2, value, 128)};
static MESSAGE(audit_digest_request, "AuditDigestRequest")
#undef SELF

#define SELF kist_audit_digest_reply
static const struct field audit_digest_reply_fields[] = {SOME_TEXT(1, digest, 76)};
static MESSAGE(audit_digest_reply, "AuditDigestReply")
#undef SELF

#define SELF kist_verify_payment_token_request
static const struct field verify_payment_token_request_fields[] = {
    NESTED(PRESENCE_REQUIRED, 1, token, payment_token, TOKEN_MOST), BYTES_IF_ANY(2, expected_application_data, 32)};
static MESSAGE(verify_payment_token_request, "VerifyPaymentTokenRequest")
#undef SELF

#define SELF kist_verify_payment_token_reply
static const struct field verify_payment_token_reply_fields[] = {UINT_64(1, signing_time)};
static MESSAGE(verify_payment_token_reply, "VerifyPaymentTokenReply")
#undef SELF

static uint32_t open_payment_token_rule(const void *value) {
  const struct kist_open_payment_token_request *request = value;
  if (!can_be_asked_for(request->release)) return 2;
  return can_be_asked_for(request->required) ? 0 : 6;
}

#define SELF kist_open_payment_token_request
static const struct field open_payment_token_request_fields[] = {
    NESTED(PRESENCE_REQUIRED, 1, token, payment_token, TOKEN_MOST),
    SET(2, release, RELEASED_MOST),
    TEXT(3, expected_currency, 3),
    OPTIONAL_64(4, expected_amount),
    BYTES_IF_ANY(5, expected_application_data, 32),
    SET(6, required, RELEASED_MOST),
    BYTES_IF_ANY(7, retry_key, KIST_RETRY_KEY_SIZE),
};
static RULED_MESSAGE(open_payment_token_request, "OpenPaymentTokenRequest", open_payment_token_rule)
#undef SELF

#define SELF kist_open_payment_token_reply
static const struct field open_payment_token_reply_fields[] = {
    TEXT(1, dpan, ANY_LENGTH),
    TEXT(2, last4, ANY_LENGTH),
    TEXT(3, bin, ANY_LENGTH),
    TEXT(4, network, ANY_LENGTH),
    TEXT(5, expiry, ANY_LENGTH),
    TEXT(6, currency, ANY_LENGTH),
    OPTIONAL_64(7, amount),
    TEXT(8, cryptogram, ANY_LENGTH),
    TEXT(9, eci, ANY_LENGTH),
    TEXT(10, payment_data_type, ANY_LENGTH),
    TEXT(11, device_manufacturer, ANY_LENGTH),
    TEXT(12, emv_data, ANY_LENGTH),
    TEXT(13, encrypted_pin, ANY_LENGTH),
    TEXT(14, cardholder_name, ANY_LENGTH),
    TEXT(15, authentication_responses, ANY_LENGTH),
    TEXT(16, merchant_token, ANY_LENGTH),
    BYTES(17, raw, ANY_LENGTH),
    UINT_64(18, signing_time),
    TEXT(20, surrogate, ANY_LENGTH),
    BYTES(21, envelope, ANY_LENGTH),
    TEXT(22, jwe, ANY_LENGTH),
};
static MESSAGE(open_payment_token_reply, "OpenPaymentTokenReply")
#undef SELF

#define SELF kist_visa_input
static const struct field visa_input_fields[] = {
    ENUM(1, type, KIST_MPAD), BYTES(2, nonce, 64), TEXT(3, authentication_code, 32), TEXT(4, account_number, 19), TEXT(5, expiry, 4)};
static MESSAGE(visa_input, "VisaInput")
#undef SELF

#define SELF kist_mastercard_input
static const struct field mastercard_input_fields[] = {
    UINT_32_IN(1, version, 2, 4), TEXT(2, account_number, 19), TEXT(3, expiry, 4), TEXT(4, token_reference, 64), UINT_64(5, valid_until)};
static MESSAGE(mastercard_input, "MastercardInput")
#undef SELF

#define SELF kist_account_surrogate
static const struct field account_surrogate_fields[] = {
    SOME_TEXT(1, surrogate, DIGITS_MOST), BYTES_OF(2, key, 16), TEXT(3, merchant_identifier, 255)};
static MESSAGE(account_surrogate, "AccountSurrogate")
#undef SELF

#define SELF kist_provision_pass_request
static const struct field provision_pass_request_fields[] = {
    ENUM(1, scheme, KIST_EV_RSA_V2),
    REPEATED(FIELD_BYTES, 2, certificates, NULL, 8192),
    ENUM(3, configuration, KIST_ENCRYPTED_ACCOUNT_NUMBER_UNNAMED),
    TEXT(4, encrypted_primary_account_number, 1024),
    TEXT(5, expiration, 5),
    TEXT(6, name, 256),
    TEXT(7, network_name, 64),
    BYTES(8, nonce, 64),
    BYTES(9, nonce_signature, 256),
    TEXT(10, primary_account_identifier, 128),
    TEXT(11, primary_account_number, 19),
    TEXT(12, primary_account_number_prefix, 19),
    TEXT(13, product_type, 64),
    BYTES(14, account_envelope, 512),
    BYTES(15, envelope_context, 512),
    NESTED(PRESENCE_ANY, 16, visa, visa_input, INPUT_MOST),
    NESTED(PRESENCE_ANY, 17, mastercard, mastercard_input, INPUT_MOST),
    BYTES(18, activation_data, 4096),
    NESTED(PRESENCE_ANY, 19, account_surrogate, account_surrogate, 512),
    BYTES_IF_ANY(20, network_key, 16),
};
static MESSAGE(provision_pass_request, "ProvisionPassRequest")
#undef SELF

#define SELF kist_provision_pass_reply
static const struct field provision_pass_reply_fields[] = {
    BYTES(1, encrypted_pass_data, 16 * 1024), BYTES_OF(2, ephemeral_public_key, 65), BYTES(3, activation_data, 4096)};
static MESSAGE(provision_pass_reply, "ProvisionPassReply")
#undef SELF

#define SELF kist_provision_trace_request
static const struct field provision_trace_request_fields[] = {
    BYTES_OF(1, recipient, 65), BYTES_OF(2, ephemeral_private_key, 32), BYTES(3, pass_data, 4096)};
static MESSAGE(provision_trace_request, "ProvisionTraceRequest")
#undef SELF

#define SELF kist_provision_trace_reply
static const struct field provision_trace_reply_fields[] = {
    BYTES_OF(1, public_key_hash, 32), BYTES_OF(2, ephemeral_public_key, 65), BYTES_OF(3, shared_secret, 32),
    BYTES_OF(4, other_info, 84),      BYTES_OF(5, shared_key, 32),           BYTES(6, encrypted_pass_data, 4096 + 16)};
static MESSAGE(provision_trace_reply, "ProvisionTraceReply")
#undef SELF

#define SELF kist_sign_otp_request
static const struct field sign_otp_request_fields[] = {
    TEXT(1, subject, 128),
    OPTIONAL_64(2, counter),
    NESTED(PRESENCE_ANY, 3, visa, visa_input, INPUT_MOST),
    NESTED(PRESENCE_ANY, 4, mastercard, mastercard_input, INPUT_MOST),
    BYTES(5, account_envelope, 512),
    BYTES(6, envelope_context, 512),
    NESTED(PRESENCE_ANY, 7, account_surrogate, account_surrogate, 512),
};
static MESSAGE(sign_otp_request, "SignOtpRequest")
#undef SELF

#define SELF kist_sign_otp_reply
static const struct field sign_otp_reply_fields[] = {TEXT(1, otp, 2048), OPTIONAL_64(2, counter)};
static MESSAGE(sign_otp_reply, "SignOtpReply")
#undef SELF

#define SELF kist_verify_otp_request
static const struct field verify_otp_request_fields[] = {TEXT(1, subject, 128), TEXT(2, code, 8)};
static MESSAGE(verify_otp_request, "VerifyOtpRequest")
#undef SELF

#define SELF kist_verify_otp_reply
static const struct field verify_otp_reply_fields[] = {UINT_64(1, counter)};
static MESSAGE(verify_otp_reply, "VerifyOtpReply")
#undef SELF

#define SELF kist_enrol_authenticator_request
static const struct field enrol_authenticator_request_fields[] = {SOME_TEXT(1, subject, 128), BYTES_OF(2, retry_key, 16)};
static MESSAGE(enrol_authenticator_request, "EnrolAuthenticatorRequest")
#undef SELF

#define SELF kist_enrol_authenticator_reply
static const struct field enrol_authenticator_reply_fields[] = {
    SOME_BYTES(1, secret, 64),
    UINT_32(2, number),
    NESTED(PRESENCE_ANY, 3, otp, otp_parameters, INPUT_MOST),
};
static MESSAGE(enrol_authenticator_reply, "EnrolAuthenticatorReply")
#undef SELF

#define SELF kist_ecdh_request
static const struct field ecdh_request_fields[] = {BYTES(1, peer, 120), BOOL(2, release)};
static MESSAGE(ecdh_request, "EcdhRequest")
#undef SELF

#define SELF kist_ecdh_reply
static const struct field ecdh_reply_fields[] = {HANDLE_IF_ANY(1), BYTES(2, shared_secret, 48)};
static MESSAGE(ecdh_reply, "EcdhReply")
#undef SELF

#define SELF kist_other_info
static const struct field other_info_fields[] = {
    BYTES(1, algorithm_id, INFO_MOST),  BYTES(2, party_u_info, INFO_MOST),   BYTES(3, party_v_info, INFO_MOST),
    BYTES(4, supp_pub_info, INFO_MOST), BYTES(5, supp_priv_info, INFO_MOST),
};
static MESSAGE(other_info, "OtherInfo")
#undef SELF

/* [OP-KDF-3] Info whole or in parts, not both. */
static uint32_t kdf_rule(const void *value) {
  const struct kist_kdf_request *request = value;
  const struct kist_other_info *parts = &request->other_info;
  size_t count = parts->algorithm_id.count + parts->party_u_info.count + parts->party_v_info.count + parts->supp_pub_info.count +
                 parts->supp_priv_info.count;
  return request->info.count == 0 || count == 0 ? 0 : 5;
}

#define SELF kist_kdf_request
static const struct field kdf_request_fields[] = {
    HANDLE(1),
    ENUM(2, derivation, KIST_HKDF_SHA512),
    UINT_32_IN(3, count, 16, 256),
    BYTES(4, info, INFO_MOST),
    NESTED(PRESENCE_ANY, 5, other_info, other_info, 5 * (INFO_MOST + 3)),
    BYTES(6, salt, INFO_MOST),
    BOOL(7, release),
};
static RULED_MESSAGE(kdf_request, "KdfRequest", kdf_rule)
#undef SELF

#define SELF kist_kdf_reply
static const struct field kdf_reply_fields[] = {HANDLE_IF_ANY(1), BYTES(2, derived_key, 256)};
static MESSAGE(kdf_reply, "KdfReply")
#undef SELF

#define SELF kist_seal_request
static const struct field seal_request_fields[] = {
    HANDLE_IF_ANY(1), BYTES(3, plaintext, MESSAGE_MOST), BYTES(4, associated_data, 4096)};
static MESSAGE(seal_request, "SealRequest")
#undef SELF

#define SELF kist_seal_reply
static const struct field seal_reply_fields[] = {BYTES(1, sealed, SEALED_MOST)};
static MESSAGE(seal_reply, "SealReply")
#undef SELF

static uint32_t unseal_rule(const void *value) {
  const struct kist_unseal_request *request = value;
  return is_iv(request->iv) ? 0 : 2;
}

#define SELF kist_unseal_request
static const struct field unseal_request_fields[] = {
    HANDLE_IF_ANY(1), BYTES(2, iv, 16), BYTES(3, sealed, SEALED_MOST), BYTES(4, associated_data, 4096)};
static RULED_MESSAGE(unseal_request, "UnsealRequest", unseal_rule)
#undef SELF

#define SELF kist_unseal_reply
static const struct field unseal_reply_fields[] = {BYTES(1, plaintext, SEALED_MOST)};
static MESSAGE(unseal_reply, "UnsealReply")
#undef SELF

#define SELF kist_sign_request
static const struct field sign_request_fields[] = {ENUM(1, scheme, KIST_ED25519), BOOL(2, digested), BYTES(3, message, MESSAGE_MOST)};
static MESSAGE(sign_request, "SignRequest")
#undef SELF

#define SELF kist_sign_reply
static const struct field sign_reply_fields[] = {BYTES(1, signature, MODULUS_MOST)};
static MESSAGE(sign_reply, "SignReply")
#undef SELF

#define SELF kist_verify_request
static const struct field verify_request_fields[] = {
    ENUM(1, scheme, KIST_ED25519), BOOL(2, digested), BYTES(3, message, MESSAGE_MOST), BYTES(4, signature, MODULUS_MOST)};
static MESSAGE(verify_request, "VerifyRequest")
#undef SELF

/* [OP-MAC-1] The algorithm is present exactly if there is a handle. */
static uint32_t mac_rule(const void *value) {
  const struct kist_mac_request *request = value;
  return (request->handle.count == 0) == (request->algorithm == 0) ? 0 : 2;
}

#define SELF kist_mac_request
static const struct field mac_request_fields[] = {
    HANDLE_IF_ANY(1), ENUM_IF_ANY(2, algorithm, KIST_AES_CMAC), UINT_32_TO(3, length, 64), BYTES(4, message, MESSAGE_MOST)};
static RULED_MESSAGE(mac_request, "MacRequest", mac_rule)
#undef SELF

#define SELF kist_mac_reply
static const struct field mac_reply_fields[] = {BYTES(1, mac, 64)};
static MESSAGE(mac_reply, "MacReply")
#undef SELF

static uint32_t verify_mac_rule(const void *value) {
  const struct kist_verify_mac_request *request = value;
  return (request->handle.count == 0) == (request->algorithm == 0) ? 0 : 2;
}

#define SELF kist_verify_mac_request
static const struct field verify_mac_request_fields[] = {
    HANDLE_IF_ANY(1), ENUM_IF_ANY(2, algorithm, KIST_AES_CMAC), UINT_32_TO(3, length, 64), BYTES(4, message, MESSAGE_MOST),
    BYTES(5, mac, 64)};
static RULED_MESSAGE(verify_mac_request, "VerifyMacRequest", verify_mac_rule)
#undef SELF

#define SELF kist_unwrap_request
static const struct field unwrap_request_fields[] = {BYTES(1, wrapped_key, MODULUS_MOST)};
static MESSAGE(unwrap_request, "UnwrapRequest")
#undef SELF

#define SELF kist_unwrap_reply
static const struct field unwrap_reply_fields[] = {HANDLE(1)};
static MESSAGE(unwrap_reply, "UnwrapReply")
#undef SELF

#define SELF kist_release_handle_request
static const struct field release_handle_request_fields[] = {HANDLE(1)};
static MESSAGE(release_handle_request, "ReleaseHandleRequest")
#undef SELF

/* [OP-SURR-1] An envelope takes a transaction and a lifetime, a surrogate neither. */
static uint32_t tokenise_rule(const void *value) {
  const struct kist_tokenise_request *request = value;
  return (request->transaction_id.count == 0) == (request->lifetime == 0) ? 0 : 4;
}

#define SELF kist_tokenise_request
static const struct field tokenise_request_fields[] = {
    TEXT(1, pan, DIGITS_MOST), TEXT(2, merchant_identifier, 255), BYTES_IF_ANY(3, transaction_id, 32), UINT_32(4, lifetime)};
static RULED_MESSAGE(tokenise_request, "TokeniseRequest", tokenise_rule)
#undef SELF

static uint32_t tokenised_rule(const void *value) {
  const struct kist_tokenise_reply *reply = value;
  return (reply->surrogate.count == 0) != (reply->envelope.count == 0) ? 0 : 3;
}

#define SELF kist_tokenise_reply
static const struct field tokenise_reply_fields[] = {TEXT(1, surrogate, DIGITS_MOST), BYTES(3, envelope, ENVELOPE_MOST)};
static RULED_MESSAGE(tokenise_reply, "TokeniseReply", tokenised_rule)
#undef SELF

#define SELF kist_detokenise_request
static const struct field detokenise_request_fields[] = {SOME_TEXT(1, surrogate, DIGITS_MOST), TEXT(3, merchant_identifier, 255)};
static MESSAGE(detokenise_request, "DetokeniseRequest")
#undef SELF

#define SELF kist_detokenise_reply
static const struct field detokenise_reply_fields[] = {SOME_TEXT(1, pan, DIGITS_MOST)};
static MESSAGE(detokenise_reply, "DetokeniseReply")
#undef SELF

static uint32_t open_envelope_rule(const void *value) {
  const struct kist_open_envelope_request *request = value;
  if (!can_be_asked_for(request->release)) return 4;
  return can_be_asked_for(request->required) ? 0 : 5;
}

#define SELF kist_open_envelope_request
static const struct field open_envelope_request_fields[] = {
    SOME_BYTES(1, envelope, ENVELOPE_MOST), TEXT(2, merchant_identifier, 255), BYTES_OF(3, transaction_id, 32),
    SET(4, release, RELEASED_MOST),         SET(5, required, RELEASED_MOST), BYTES_IF_ANY(6, retry_key, KIST_RETRY_KEY_SIZE),
};
static RULED_MESSAGE(open_envelope_request, "OpenEnvelopeRequest", open_envelope_rule)
#undef SELF

#define SELF kist_status_report
static const struct field status_report_fields[] = {
    TEXT(1, state, 32),
    TEXT(2, product_version, 64),
    BOOL(3, rehearsal),
    UINT_64(4, started),
    UINT_32(5, keys),
    UINT_32(6, connections),
    UINT_64(7, audit_size),
    BYTES(8, audit_root, 32),
    TEXT(9, audit_verifier_key, 512),
    BYTES(10, policy_hash, 32),
    TEXT(11, arena, 32),
    UINT_64(12, arena_capacity),
    UINT_64(13, arena_used),
    UINT_64(14, arena_peak),
    BOOL(15, dumpable),
    UINT_64(16, locked_bytes),
    UINT_64(17, swapped_bytes),
    BOOL(18, core_dumps),
    OPTIONAL_64(19, ptrace_scope),
    UINT_32(20, seccomp),
    BOOL(21, landlock),
    TEXT(22, audit_condition, 32),
    UINT_64(23, audit_free),
    UINT_64(24, stack_capacity),
    UINT_64(25, resident_bytes),
    TEXT(26, unmatched_grants, 1024),
    UINT_64(27, next_key_end),
    BOOL(28, code_intact),
    UINT_32(29, store_fill),
};
static MESSAGE(status_report, "StatusReport")
#undef SELF

#define SELF kist_unlock_request
static const struct field unlock_request_fields[] = {SOME_BYTES(1, passphrase, 1024)};
static MESSAGE(unlock_request, "UnlockRequest")
#undef SELF

#define SELF kist_import_key_request
static const struct field import_key_request_fields[] = {
    TEXT(1, label, 128),
    TEXT(2, role, 64),
    BYTES(3, private_key, 8192),
    BYTES(4, certificate, 8192),
    TEXT(5, merchant_identifier, 255),
    BOOL(6, activate),
    UINT_64(7, not_after),
    NESTED(PRESENCE_ANY, 8, otp, otp_parameters, INPUT_MOST),
    BOOL(9, exportable),
    TEXT(10, jwe_members, 512),
};
static MESSAGE(import_key_request, "ImportKeyRequest")
#undef SELF

const struct message *const kist_messages[] = {
    &kist_message_payment_token,
    &kist_message_malformation,
    &kist_message_busy,
    &kist_message_rejection,
    &kist_message_approval_needed,
    &kist_message_operation_description,
    &kist_message_describe_reply,
    &kist_message_otp_parameters,
    &kist_message_key_description,
    &kist_message_list_keys_request,
    &kist_message_list_keys_reply,
    &kist_message_random_request,
    &kist_message_random_reply,
    &kist_message_right,
    &kist_message_who_reply,
    &kist_message_audit_digest_request,
    &kist_message_audit_digest_reply,
    &kist_message_verify_payment_token_request,
    &kist_message_verify_payment_token_reply,
    &kist_message_open_payment_token_request,
    &kist_message_open_payment_token_reply,
    &kist_message_visa_input,
    &kist_message_mastercard_input,
    &kist_message_account_surrogate,
    &kist_message_provision_pass_request,
    &kist_message_provision_pass_reply,
    &kist_message_provision_trace_request,
    &kist_message_provision_trace_reply,
    &kist_message_sign_otp_request,
    &kist_message_sign_otp_reply,
    &kist_message_verify_otp_request,
    &kist_message_verify_otp_reply,
    &kist_message_enrol_authenticator_request,
    &kist_message_enrol_authenticator_reply,
    &kist_message_ecdh_request,
    &kist_message_ecdh_reply,
    &kist_message_other_info,
    &kist_message_kdf_request,
    &kist_message_kdf_reply,
    &kist_message_seal_request,
    &kist_message_seal_reply,
    &kist_message_unseal_request,
    &kist_message_unseal_reply,
    &kist_message_sign_request,
    &kist_message_sign_reply,
    &kist_message_verify_request,
    &kist_message_mac_request,
    &kist_message_mac_reply,
    &kist_message_verify_mac_request,
    &kist_message_unwrap_request,
    &kist_message_unwrap_reply,
    &kist_message_release_handle_request,
    &kist_message_tokenise_request,
    &kist_message_tokenise_reply,
    &kist_message_detokenise_request,
    &kist_message_detokenise_reply,
    &kist_message_open_envelope_request,
    &kist_message_status_report,
    &kist_message_unlock_request,
    &kist_message_import_key_request,
};
const size_t kist_messages_count = COUNT_OF(kist_messages);

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
    {KIST_OP_ENROL_AUTHENTICATOR, KEY_REQUIRED, M(enrol_authenticator_request), M(enrol_authenticator_reply)},
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
  for (size_t i = 0; i < COUNT_OF(operations); i++) {
    if (operations[i].opcode == opcode) return &operations[i];
  }
  return NULL;
}
