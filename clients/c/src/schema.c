/* Every message and operation, and the names of stages. Written by proto/generate.py from kist.proto: do not edit. */
#include "names.h"
#include "table.h"

#define SELF kist_payment_token
static const struct field payment_token_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, version, 1, 2),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, data, 0, 65536),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, signature, 0, 16384),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, ephemeral_public_key, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 5, wrapped_key, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 6, public_key_hash, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 7, transaction_id, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 8, application_data, 32, 32),
};
static MESSAGE(payment_token, "PaymentToken")
#undef SELF

#define SELF kist_malformation
static const struct field malformation_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, why, 1, 160),
};
MESSAGE(malformation, "Malformation")
#undef SELF

#define SELF kist_busy
static const struct field busy_fields[] = {
    FIELD(FIELD_UINT32, PRESENCE_REQUIRED, 1, retry_after, 1, 1209600000),
};
MESSAGE(busy, "Busy")
#undef SELF

static uint32_t rejection_rule(const void *message) {
  const struct kist_rejection *value = message;
  if (!kist_stage_is_known(value->stage)) return 1;
  if (value->released_field && !(KIST_RELEASE(value->released_field) & UINT32_C(0x73FFFE))) return 3;
  return 0;
}

#define SELF kist_rejection
static const struct field rejection_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, stage, 1, 255),
    FIELD(FIELD_ENUM, PRESENCE_ANY, 2, field, 1, 13),
    FIELD(FIELD_ENUM, PRESENCE_ANY, 3, released_field, 1, 22),
};
RULED_MESSAGE(rejection, "Rejection", rejection_rule)
#undef SELF

#define SELF kist_approval_needed
static const struct field approval_needed_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, request, 0, 16),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 2, until, 0, 0),
};
MESSAGE(approval_needed, "ApprovalNeeded")
#undef SELF

#define SELF kist_operation_description
static const struct field operation_description_fields[] = {
    FIELD(FIELD_UINT32, PRESENCE_ANY, 1, opcode, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, name, 0, 64),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 3, request_cap, 0, UINT32_MAX),
};
static MESSAGE(operation_description, "OperationDescription")
#undef SELF

#define SELF kist_describe_reply
static const struct field describe_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, product_version, 0, 64),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 2, wire_version, 0, UINT32_MAX),
    REPEATED(FIELD_MESSAGE, 3, operations, &kist_message_operation_description, 128),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 4, in_flight, 0, UINT32_MAX),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 5, rehearsal, 0, 1),
};
static MESSAGE(describe_reply, "DescribeReply")
#undef SELF

#define SELF kist_otp_parameters
static const struct field otp_parameters_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, key_set, 0, 64),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, key_alias, 0, 64),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 3, digits, 0, UINT32_MAX),
    FIELD(FIELD_ENUM, PRESENCE_ANY, 4, hash, 1, 3),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 5, step, 0, UINT32_MAX),
    FIELD(FIELD_UINT32, PRESENCE_OPTIONAL, 6, window, 0, UINT32_MAX),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 7, failures, 0, UINT32_MAX),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 8, lockout, 0, UINT32_MAX),
};
static MESSAGE(otp_parameters, "OtpParameters")
#undef SELF

#define SELF kist_key_description
static const struct field key_description_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, id, 16, 16),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, label, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, role, 0, 64),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 4, state, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 5, algorithm, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 6, usage, 0, 16),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 7, merchant_identifier, 0, 255),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 8, public_key, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 9, check_value, 0, 32),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 10, certificate, 0, 8192),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 11, created, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 12, activated, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 13, not_after, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 14, last_use, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 15, uses, 0, 0),
    NESTED(PRESENCE_ANY, 16, otp, otp_parameters, 256),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 17, exportable, 0, 1),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 18, not_before, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 19, use_limit, 0, 0),
};
static MESSAGE(key_description, "KeyDescription")
#undef SELF

#define SELF kist_list_keys_request
static const struct field list_keys_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, prefix, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, after, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, pattern, 0, 128),
};
static MESSAGE(list_keys_request, "ListKeysRequest")
#undef SELF

#define SELF kist_list_keys_reply
static const struct field list_keys_reply_fields[] = {
    REPEATED(FIELD_MESSAGE, 1, keys, &kist_message_key_description, 16384),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 2, more, 0, 1),
};
static MESSAGE(list_keys_reply, "ListKeysReply")
#undef SELF

#define SELF kist_random_request
static const struct field random_request_fields[] = {
    FIELD(FIELD_UINT32, PRESENCE_REQUIRED, 1, count, 1, 1024),
};
static MESSAGE(random_request, "RandomRequest")
#undef SELF

#define SELF kist_random_reply
static const struct field random_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, random, 0, 1024),
};
static MESSAGE(random_reply, "RandomReply")
#undef SELF

#define SELF kist_right
static const struct field right_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, grant, 0, 64),
    REPEATED(FIELD_TEXT, 2, operations, NULL, 64),
    REPEATED(FIELD_TEXT, 3, keys, NULL, 128),
    REPEATED(FIELD_TEXT, 4, released, NULL, 64),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 5, stages, 0, 1),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 6, rate, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 7, quota, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 8, key_quota, 0, 32),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 9, until, 0, 0),
    REPEATED(FIELD_TEXT, 10, hours, NULL, 32),
};
static MESSAGE(right, "Right")
#undef SELF

#define SELF kist_who_reply
static const struct field who_reply_fields[] = {
    FIELD(FIELD_UINT32, PRESENCE_ANY, 1, uid, 0, UINT32_MAX),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 2, gid, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, unit, 0, 256),
    REPEATED(FIELD_MESSAGE, 4, rights, &kist_message_right, 32768),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 5, more, 0, 1),
};
static MESSAGE(who_reply, "WhoReply")
#undef SELF

#define SELF kist_audit_digest_request
static const struct field audit_digest_request_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, field, 1, 3),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, value, 0, 128),
};
static MESSAGE(audit_digest_request, "AuditDigestRequest")
#undef SELF

#define SELF kist_audit_digest_reply
static const struct field audit_digest_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, digest, 1, 76),
};
static MESSAGE(audit_digest_reply, "AuditDigestReply")
#undef SELF

#define SELF kist_verify_payment_token_request
static const struct field verify_payment_token_request_fields[] = {
    NESTED(PRESENCE_REQUIRED, 1, token, payment_token, 84224),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, expected_application_data, 32, 32),
};
static MESSAGE(verify_payment_token_request, "VerifyPaymentTokenRequest")
#undef SELF

#define SELF kist_verify_payment_token_reply
static const struct field verify_payment_token_reply_fields[] = {
    FIELD(FIELD_UINT64, PRESENCE_ANY, 1, signing_time, 0, 0),
};
static MESSAGE(verify_payment_token_reply, "VerifyPaymentTokenReply")
#undef SELF

static uint32_t open_payment_token_request_rule(const void *message) {
  const struct kist_open_payment_token_request *value = message;
  if (value->release & ~UINT32_C(0x33FFFE)) return 2; /* all but KIST_JWE */
  if (value->required & ~UINT32_C(0x33FFFE)) return 6; /* all but KIST_JWE */
  return 0;
}

#define SELF kist_open_payment_token_request
static const struct field open_payment_token_request_fields[] = {
    NESTED(PRESENCE_REQUIRED, 1, token, payment_token, 84224),
    FIELD(FIELD_SET, PRESENCE_ANY, 2, release, 0, 64),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, expected_currency, 0, 3),
    FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, 4, expected_amount, 0, 0),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 5, expected_application_data, 32, 32),
    FIELD(FIELD_SET, PRESENCE_ANY, 6, required, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 7, retry_key, 16, 16),
};
static RULED_MESSAGE(open_payment_token_request, "OpenPaymentTokenRequest", open_payment_token_request_rule)
#undef SELF

#define SELF kist_open_payment_token_reply
static const struct field open_payment_token_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, dpan, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, last4, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, bin, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 4, network, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 5, expiry, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 6, currency, 0, UINT32_MAX),
    FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, 7, amount, 0, 0),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 8, cryptogram, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 9, eci, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 10, payment_data_type, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 11, device_manufacturer, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 12, emv_data, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 13, encrypted_pin, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 14, cardholder_name, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 15, authentication_responses, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 16, merchant_token, 0, UINT32_MAX),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 17, raw, 0, UINT32_MAX),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 18, signing_time, 0, 0),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 20, surrogate, 0, UINT32_MAX),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 21, envelope, 0, UINT32_MAX),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 22, jwe, 0, UINT32_MAX),
};
static MESSAGE(open_payment_token_reply, "OpenPaymentTokenReply")
#undef SELF

#define SELF kist_visa_input
static const struct field visa_input_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, type, 1, 4),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, nonce, 0, 64),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, authentication_code, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 4, account_number, 0, 19),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 5, expiry, 0, 4),
};
static MESSAGE(visa_input, "VisaInput")
#undef SELF

#define SELF kist_mastercard_input
static const struct field mastercard_input_fields[] = {
    FIELD(FIELD_UINT32, PRESENCE_REQUIRED, 1, version, 2, 4),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, account_number, 0, 19),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, expiry, 0, 4),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 4, token_reference, 0, 64),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 5, valid_until, 0, 0),
};
static MESSAGE(mastercard_input, "MastercardInput")
#undef SELF

#define SELF kist_account_surrogate
static const struct field account_surrogate_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, surrogate, 1, 32),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 2, key, 16, 16),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, merchant_identifier, 0, 255),
};
static MESSAGE(account_surrogate, "AccountSurrogate")
#undef SELF

#define SELF kist_provision_pass_request
static const struct field provision_pass_request_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, scheme, 1, 2),
    REPEATED(FIELD_BYTES, 2, certificates, NULL, 8192),
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 3, configuration, 1, 4),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 4, encrypted_primary_account_number, 0, 1024),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 5, expiration, 0, 5),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 6, name, 0, 256),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 7, network_name, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 8, nonce, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 9, nonce_signature, 0, 256),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 10, primary_account_identifier, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 11, primary_account_number, 0, 19),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 12, primary_account_number_prefix, 0, 19),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 13, product_type, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 14, account_envelope, 0, 512),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 15, envelope_context, 0, 512),
    NESTED(PRESENCE_ANY, 16, visa, visa_input, 256),
    NESTED(PRESENCE_ANY, 17, mastercard, mastercard_input, 256),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 18, activation_data, 0, 4096),
    NESTED(PRESENCE_ANY, 19, account_surrogate, account_surrogate, 512),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 20, network_key, 16, 16),
};
static MESSAGE(provision_pass_request, "ProvisionPassRequest")
#undef SELF

#define SELF kist_provision_pass_reply
static const struct field provision_pass_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, encrypted_pass_data, 0, 16384),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 2, ephemeral_public_key, 65, 65),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, activation_data, 0, 4096),
};
static MESSAGE(provision_pass_reply, "ProvisionPassReply")
#undef SELF

#define SELF kist_provision_trace_request
static const struct field provision_trace_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, recipient, 65, 65),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 2, ephemeral_private_key, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, pass_data, 0, 4096),
};
static MESSAGE(provision_trace_request, "ProvisionTraceRequest")
#undef SELF

#define SELF kist_provision_trace_reply
static const struct field provision_trace_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, public_key_hash, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 2, ephemeral_public_key, 65, 65),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 3, shared_secret, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 4, other_info, 84, 84),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 5, shared_key, 32, 32),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 6, encrypted_pass_data, 0, 4112),
};
static MESSAGE(provision_trace_reply, "ProvisionTraceReply")
#undef SELF

#define SELF kist_sign_otp_request
static const struct field sign_otp_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, subject, 0, 128),
    FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, 2, counter, 0, 0),
    NESTED(PRESENCE_ANY, 3, visa, visa_input, 256),
    NESTED(PRESENCE_ANY, 4, mastercard, mastercard_input, 256),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 5, account_envelope, 0, 512),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 6, envelope_context, 0, 512),
    NESTED(PRESENCE_ANY, 7, account_surrogate, account_surrogate, 512),
};
static MESSAGE(sign_otp_request, "SignOtpRequest")
#undef SELF

#define SELF kist_sign_otp_reply
static const struct field sign_otp_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, otp, 0, 2048),
    FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, 2, counter, 0, 0),
};
static MESSAGE(sign_otp_reply, "SignOtpReply")
#undef SELF

#define SELF kist_verify_otp_request
static const struct field verify_otp_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, subject, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, code, 0, 8),
};
static MESSAGE(verify_otp_request, "VerifyOtpRequest")
#undef SELF

#define SELF kist_verify_otp_reply
static const struct field verify_otp_reply_fields[] = {
    FIELD(FIELD_UINT64, PRESENCE_ANY, 1, counter, 0, 0),
};
static MESSAGE(verify_otp_reply, "VerifyOtpReply")
#undef SELF

#define SELF kist_enrol_authenticator_request
static const struct field enrol_authenticator_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, subject, 1, 128),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 2, retry_key, 16, 16),
};
static MESSAGE(enrol_authenticator_request, "EnrolAuthenticatorRequest")
#undef SELF

#define SELF kist_enrol_authenticator_reply
static const struct field enrol_authenticator_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, secret, 1, 64),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 2, number, 0, UINT32_MAX),
    NESTED(PRESENCE_ANY, 3, otp, otp_parameters, 256),
};
static MESSAGE(enrol_authenticator_reply, "EnrolAuthenticatorReply")
#undef SELF

#define SELF kist_ecdh_request
static const struct field ecdh_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, peer, 0, 120),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 2, release, 0, 1),
};
static MESSAGE(ecdh_request, "EcdhRequest")
#undef SELF

#define SELF kist_ecdh_reply
static const struct field ecdh_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, shared_secret, 0, 48),
};
static MESSAGE(ecdh_reply, "EcdhReply")
#undef SELF

#define SELF kist_other_info
static const struct field other_info_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, algorithm_id, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, party_u_info, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, party_v_info, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, supp_pub_info, 0, 1024),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 5, supp_priv_info, 0, 1024),
};
static MESSAGE(other_info, "OtherInfo")
#undef SELF

static uint32_t kdf_request_rule(const void *message) {
  const struct kist_kdf_request *value = message;
  if ((value->info.count != 0) && (value->other_info.algorithm_id.count != 0 || value->other_info.party_u_info.count != 0 || value->other_info.party_v_info.count != 0 || value->other_info.supp_pub_info.count != 0 || value->other_info.supp_priv_info.count != 0)) return 5;
  return 0;
}

#define SELF kist_kdf_request
static const struct field kdf_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, handle, 16, 16),
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 2, derivation, 1, 9),
    FIELD(FIELD_UINT32, PRESENCE_REQUIRED, 3, count, 16, 256),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, info, 0, 1024),
    NESTED(PRESENCE_ANY, 5, other_info, other_info, 5135),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 6, salt, 0, 1024),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 7, release, 0, 1),
};
static RULED_MESSAGE(kdf_request, "KdfRequest", kdf_request_rule)
#undef SELF

#define SELF kist_kdf_reply
static const struct field kdf_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, derived_key, 0, 256),
};
static MESSAGE(kdf_reply, "KdfReply")
#undef SELF

#define SELF kist_seal_request
static const struct field seal_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, plaintext, 0, 65536),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, associated_data, 0, 4096),
};
static MESSAGE(seal_request, "SealRequest")
#undef SELF

#define SELF kist_seal_reply
static const struct field seal_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, sealed, 0, 65581),
};
static MESSAGE(seal_reply, "SealReply")
#undef SELF

static uint32_t unseal_request_rule(const void *message) {
  const struct kist_unseal_request *value = message;
  if (value->iv.count != 0 && value->iv.count != 12 && value->iv.count != 16) return 2;
  return 0;
}

#define SELF kist_unseal_request
static const struct field unseal_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 2, iv, 0, 16),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, sealed, 0, 65581),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, associated_data, 0, 4096),
};
static RULED_MESSAGE(unseal_request, "UnsealRequest", unseal_request_rule)
#undef SELF

#define SELF kist_unseal_reply
static const struct field unseal_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, plaintext, 0, 65581),
};
static MESSAGE(unseal_reply, "UnsealReply")
#undef SELF

#define SELF kist_sign_request
static const struct field sign_request_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, scheme, 1, 11),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 2, digested, 0, 1),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, message, 0, 65536),
};
static MESSAGE(sign_request, "SignRequest")
#undef SELF

#define SELF kist_sign_reply
static const struct field sign_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, signature, 0, 512),
};
static MESSAGE(sign_reply, "SignReply")
#undef SELF

#define SELF kist_verify_request
static const struct field verify_request_fields[] = {
    FIELD(FIELD_ENUM, PRESENCE_REQUIRED, 1, scheme, 1, 11),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 2, digested, 0, 1),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, message, 0, 65536),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, signature, 0, 512),
};
static MESSAGE(verify_request, "VerifyRequest")
#undef SELF

static uint32_t mac_request_rule(const void *message) {
  const struct kist_mac_request *value = message;
  if ((value->handle.count != 0) != (value->algorithm != 0)) return 2;
  return 0;
}

#define SELF kist_mac_request
static const struct field mac_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_ENUM, PRESENCE_ANY, 2, algorithm, 1, 4),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 3, length, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, message, 0, 65536),
};
static RULED_MESSAGE(mac_request, "MacRequest", mac_request_rule)
#undef SELF

#define SELF kist_mac_reply
static const struct field mac_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, mac, 0, 64),
};
static MESSAGE(mac_reply, "MacReply")
#undef SELF

static uint32_t verify_mac_request_rule(const void *message) {
  const struct kist_verify_mac_request *value = message;
  if ((value->handle.count != 0) != (value->algorithm != 0)) return 2;
  return 0;
}

#define SELF kist_verify_mac_request
static const struct field verify_mac_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, handle, 16, 16),
    FIELD(FIELD_ENUM, PRESENCE_ANY, 2, algorithm, 1, 4),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 3, length, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, message, 0, 65536),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 5, mac, 0, 64),
};
static RULED_MESSAGE(verify_mac_request, "VerifyMacRequest", verify_mac_request_rule)
#undef SELF

#define SELF kist_unwrap_request
static const struct field unwrap_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_ANY, 1, wrapped_key, 0, 512),
};
static MESSAGE(unwrap_request, "UnwrapRequest")
#undef SELF

#define SELF kist_unwrap_reply
static const struct field unwrap_reply_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, handle, 16, 16),
};
static MESSAGE(unwrap_reply, "UnwrapReply")
#undef SELF

#define SELF kist_release_handle_request
static const struct field release_handle_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, handle, 16, 16),
};
static MESSAGE(release_handle_request, "ReleaseHandleRequest")
#undef SELF

static uint32_t tokenise_request_rule(const void *message) {
  const struct kist_tokenise_request *value = message;
  if ((value->transaction_id.count != 0) != (value->lifetime != 0)) return 4;
  return 0;
}

#define SELF kist_tokenise_request
static const struct field tokenise_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, pan, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, merchant_identifier, 0, 255),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, transaction_id, 32, 32),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 4, lifetime, 0, UINT32_MAX),
};
static RULED_MESSAGE(tokenise_request, "TokeniseRequest", tokenise_request_rule)
#undef SELF

static uint32_t tokenise_reply_rule(const void *message) {
  const struct kist_tokenise_reply *value = message;
  if ((value->surrogate.count != 0) == (value->envelope.count != 0)) return 3;
  return 0;
}

#define SELF kist_tokenise_reply
static const struct field tokenise_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, surrogate, 0, 32),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, envelope, 0, 66048),
};
static RULED_MESSAGE(tokenise_reply, "TokeniseReply", tokenise_reply_rule)
#undef SELF

#define SELF kist_detokenise_request
static const struct field detokenise_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, surrogate, 1, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 3, merchant_identifier, 0, 255),
};
static MESSAGE(detokenise_request, "DetokeniseRequest")
#undef SELF

#define SELF kist_detokenise_reply
static const struct field detokenise_reply_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_REQUIRED, 1, pan, 1, 32),
};
static MESSAGE(detokenise_reply, "DetokeniseReply")
#undef SELF

static uint32_t open_envelope_request_rule(const void *message) {
  const struct kist_open_envelope_request *value = message;
  if (value->release & ~UINT32_C(0x33FFFE)) return 4; /* all but KIST_JWE */
  if (value->required & ~UINT32_C(0x33FFFE)) return 5; /* all but KIST_JWE */
  return 0;
}

#define SELF kist_open_envelope_request
static const struct field open_envelope_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, envelope, 1, 66048),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, merchant_identifier, 0, 255),
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 3, transaction_id, 32, 32),
    FIELD(FIELD_SET, PRESENCE_ANY, 4, release, 0, 64),
    FIELD(FIELD_SET, PRESENCE_ANY, 5, required, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 6, retry_key, 16, 16),
};
static RULED_MESSAGE(open_envelope_request, "OpenEnvelopeRequest", open_envelope_request_rule)
#undef SELF

#define SELF kist_status_report
static const struct field status_report_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, state, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, product_version, 0, 64),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 3, rehearsal, 0, 1),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 4, started, 0, 0),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 5, keys, 0, UINT32_MAX),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 6, connections, 0, UINT32_MAX),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 7, audit_size, 0, 0),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 8, audit_root, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 9, audit_verifier_key, 0, 512),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 10, policy_hash, 0, 32),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 11, arena, 0, 32),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 12, arena_capacity, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 13, arena_used, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 14, arena_peak, 0, 0),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 15, dumpable, 0, 1),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 16, locked_bytes, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 17, swapped_bytes, 0, 0),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 18, core_dumps, 0, 1),
    FIELD(FIELD_UINT64, PRESENCE_OPTIONAL, 19, ptrace_scope, 0, 0),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 20, seccomp, 0, UINT32_MAX),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 21, landlock, 0, 1),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 22, audit_condition, 0, 32),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 23, audit_free, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 24, stack_capacity, 0, 0),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 25, resident_bytes, 0, 0),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 26, unmatched_grants, 0, 1024),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 27, next_key_end, 0, 0),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 28, code_intact, 0, 1),
    FIELD(FIELD_UINT32, PRESENCE_ANY, 29, store_fill, 0, UINT32_MAX),
};
static MESSAGE(status_report, "StatusReport")
#undef SELF

#define SELF kist_unlock_request
static const struct field unlock_request_fields[] = {
    FIELD(FIELD_BYTES, PRESENCE_REQUIRED, 1, passphrase, 1, 1024),
};
static MESSAGE(unlock_request, "UnlockRequest")
#undef SELF

#define SELF kist_import_key_request
static const struct field import_key_request_fields[] = {
    FIELD(FIELD_TEXT, PRESENCE_ANY, 1, label, 0, 128),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 2, role, 0, 64),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 3, private_key, 0, 8192),
    FIELD(FIELD_BYTES, PRESENCE_ANY, 4, certificate, 0, 8192),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 5, merchant_identifier, 0, 255),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 6, activate, 0, 1),
    FIELD(FIELD_UINT64, PRESENCE_ANY, 7, not_after, 0, 0),
    NESTED(PRESENCE_ANY, 8, otp, otp_parameters, 256),
    FIELD(FIELD_BOOL, PRESENCE_ANY, 9, exportable, 0, 1),
    FIELD(FIELD_TEXT, PRESENCE_ANY, 10, jwe_members, 0, 512),
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

const struct operation kist_operations[] = {
    {KIST_OP_PING, KEY_NONE, NULL, NULL},
    {KIST_OP_DESCRIBE, KEY_NONE, NULL, &kist_message_describe_reply},
    {KIST_OP_LIST_KEYS, KEY_NONE, &kist_message_list_keys_request, &kist_message_list_keys_reply},
    {KIST_OP_DESCRIBE_KEY, KEY_REQUIRED, NULL, &kist_message_key_description},
    {KIST_OP_RANDOM, KEY_NONE, &kist_message_random_request, &kist_message_random_reply},
    {KIST_OP_WHO, KEY_NONE, NULL, &kist_message_who_reply},
    {KIST_OP_AUDIT_DIGEST, KEY_NONE, &kist_message_audit_digest_request, &kist_message_audit_digest_reply},
    {KIST_OP_READY, KEY_NONE, NULL, NULL},
    {KIST_OP_VERIFY_PAYMENT_TOKEN, KEY_OPTIONAL, &kist_message_verify_payment_token_request, &kist_message_verify_payment_token_reply},
    {KIST_OP_OPEN_PAYMENT_TOKEN, KEY_REQUIRED, &kist_message_open_payment_token_request, &kist_message_open_payment_token_reply},
    {KIST_OP_PROVISION_PASS, KEY_OPTIONAL, &kist_message_provision_pass_request, &kist_message_provision_pass_reply},
    {KIST_OP_PROVISION_TRACE, KEY_NONE, &kist_message_provision_trace_request, &kist_message_provision_trace_reply},
    {KIST_OP_SIGN_OTP, KEY_REQUIRED, &kist_message_sign_otp_request, &kist_message_sign_otp_reply},
    {KIST_OP_VERIFY_OTP, KEY_REQUIRED, &kist_message_verify_otp_request, &kist_message_verify_otp_reply},
    {KIST_OP_ENROL_AUTHENTICATOR, KEY_REQUIRED, &kist_message_enrol_authenticator_request, &kist_message_enrol_authenticator_reply},
    {KIST_OP_ECDH, KEY_REQUIRED, &kist_message_ecdh_request, &kist_message_ecdh_reply},
    {KIST_OP_KDF, KEY_REQUIRED, &kist_message_kdf_request, &kist_message_kdf_reply},
    {KIST_OP_SEAL, KEY_REQUIRED, &kist_message_seal_request, &kist_message_seal_reply},
    {KIST_OP_UNSEAL, KEY_REQUIRED, &kist_message_unseal_request, &kist_message_unseal_reply},
    {KIST_OP_SIGN, KEY_REQUIRED, &kist_message_sign_request, &kist_message_sign_reply},
    {KIST_OP_VERIFY, KEY_REQUIRED, &kist_message_verify_request, NULL},
    {KIST_OP_MAC, KEY_REQUIRED, &kist_message_mac_request, &kist_message_mac_reply},
    {KIST_OP_VERIFY_MAC, KEY_REQUIRED, &kist_message_verify_mac_request, NULL},
    {KIST_OP_UNWRAP, KEY_REQUIRED, &kist_message_unwrap_request, &kist_message_unwrap_reply},
    {KIST_OP_RELEASE_HANDLE, KEY_REQUIRED, &kist_message_release_handle_request, NULL},
    {KIST_OP_TOKENISE, KEY_REQUIRED, &kist_message_tokenise_request, &kist_message_tokenise_reply},
    {KIST_OP_DETOKENISE, KEY_REQUIRED, &kist_message_detokenise_request, &kist_message_detokenise_reply},
    {KIST_OP_OPEN_ENVELOPE, KEY_REQUIRED, &kist_message_open_envelope_request, &kist_message_open_payment_token_reply},
    {KIST_OP_STATUS, KEY_NONE, NULL, &kist_message_status_report},
    {KIST_OP_UNLOCK, KEY_NONE, &kist_message_unlock_request, NULL},
    {KIST_OP_LOCK, KEY_NONE, NULL, NULL},
    {KIST_OP_IMPORT_KEY, KEY_NONE, &kist_message_import_key_request, &kist_message_key_description},
};
const size_t kist_operations_count = COUNT_OF(kist_operations);

const char *const kist_stages[] = {
    [1] = "format",
    [2] = "version",
    [3] = "cms",
    [4] = "leaf-marker",
    [5] = "intermediate-marker",
    [6] = "extra-certificate",
    [7] = "chain",
    [8] = "signer",
    [9] = "algorithm",
    [10] = "signed-attributes",
    [11] = "message-digest",
    [12] = "signature",
    [13] = "certificate-validity",
    [14] = "signing-time",
    [15] = "public-key-hash",
    [16] = "replay",
    [17] = "key-agreement",
    [18] = "tag",
    [19] = "plaintext",
    [20] = "expectation",
    [21] = "passphrase",
    [22] = "key-import",
    [23] = "key-state",
    [24] = "own-request",
    [25] = "unknown-request",
    [26] = "key-block",
    [27] = "key-export",
    [28] = "not-released",
    [30] = "peer-key",
    [31] = "parameters",
    [32] = "envelope",
    [33] = "invocations",
    [34] = "mac",
    [35] = "unwrap",
    [50] = "encryption-scheme",
    [51] = "missing-field",
    [52] = "surplus-field",
    [53] = "field-value",
    [54] = "issuer-certificate",
    [55] = "issuer-leaf-marker",
    [56] = "issuer-chain-length",
    [57] = "issuer-intermediate-marker",
    [58] = "issuer-intermediate-name",
    [59] = "issuer-chain",
    [60] = "issuer-key-usage",
    [61] = "issuer-critical-extension",
    [62] = "issuer-leaf-curve",
    [63] = "issuer-validity",
    [64] = "otp-input",
    [65] = "otp-key-expired",
    [66] = "otp-code",
    [67] = "otp-locked",
    [68] = "otp-not-restored",
    [69] = "otp-home",
    [70] = "stand-in-key",
    [71] = "pan",
    [72] = "stand-in",
    [73] = "expired",
    [74] = "envelope-used",
    [75] = "partner-key",
    [76] = "claims",
    [80] = "checkpoint",
    [90] = "share-form",
    [92] = "share-register",
    [93] = "share-split",
    [94] = "share-holder",
    [95] = "share-duplicate",
    [96] = "share-holder-twice",
    [97] = "share-surplus",
    [98] = "share-combination",
    [99] = "share-cool-down",
    [100] = "other-kek",
    [101] = "backup",
};
const size_t kist_stages_count = COUNT_OF(kist_stages);
