// Written by proto/generate.py from kist.proto: do not edit.

import Format

extension Schema {
  /// Every message of the protocol, in the order of `proto/kist.proto`.
  package static func visit(_ visitor: inout some MessageVisitor) throws {
    try visitor.message(PaymentTokenMessage.self, "PaymentToken")
    try visitor.message(Malformation.self, "Malformation")
    try visitor.message(Busy.self, "Busy")
    try visitor.message(Rejection.self, "Rejection")
    try visitor.message(ApprovalNeeded.self, "ApprovalNeeded")
    try visitor.message(OperationDescription.self, "OperationDescription")
    try visitor.message(DescribeReply.self, "DescribeReply")
    try visitor.message(OTPParameters.self, "OtpParameters")
    try visitor.message(KeyDescription.self, "KeyDescription")
    try visitor.message(ListKeysRequest.self, "ListKeysRequest")
    try visitor.message(ListKeysReply.self, "ListKeysReply")
    try visitor.message(RandomRequest.self, "RandomRequest")
    try visitor.message(RandomReply.self, "RandomReply")
    try visitor.message(Right.self, "Right")
    try visitor.message(WhoReply.self, "WhoReply")
    try visitor.message(AuditDigestRequest.self, "AuditDigestRequest")
    try visitor.message(AuditDigestReply.self, "AuditDigestReply")
    try visitor.message(VerifyPaymentTokenRequest.self, "VerifyPaymentTokenRequest")
    try visitor.message(VerifyPaymentTokenReply.self, "VerifyPaymentTokenReply")
    try visitor.message(OpenPaymentTokenRequest.self, "OpenPaymentTokenRequest")
    try visitor.message(OpenPaymentTokenReply.self, "OpenPaymentTokenReply")
    try visitor.message(VisaInput.self, "VisaInput")
    try visitor.message(MastercardInput.self, "MastercardInput")
    try visitor.message(AccountSurrogate.self, "AccountSurrogate")
    try visitor.message(ProvisionPassRequest.self, "ProvisionPassRequest")
    try visitor.message(ProvisionPassReply.self, "ProvisionPassReply")
    try visitor.message(ProvisionTraceRequest.self, "ProvisionTraceRequest")
    try visitor.message(ProvisionTraceReply.self, "ProvisionTraceReply")
    try visitor.message(SignOTPRequest.self, "SignOtpRequest")
    try visitor.message(SignOTPReply.self, "SignOtpReply")
    try visitor.message(VerifyOTPRequest.self, "VerifyOtpRequest")
    try visitor.message(VerifyOTPReply.self, "VerifyOtpReply")
    try visitor.message(EnrolAuthenticatorRequest.self, "EnrolAuthenticatorRequest")
    try visitor.message(EnrolAuthenticatorReply.self, "EnrolAuthenticatorReply")
    try visitor.message(ResetOTPLockoutRequest.self, "ResetOtpLockoutRequest")
    try visitor.message(ResetOTPLockoutReply.self, "ResetOtpLockoutReply")
    try visitor.message(ECDHRequest.self, "EcdhRequest")
    try visitor.message(ECDHReply.self, "EcdhReply")
    try visitor.message(OtherInfo.self, "OtherInfo")
    try visitor.message(KDFRequest.self, "KdfRequest")
    try visitor.message(KDFReply.self, "KdfReply")
    try visitor.message(SealRequest.self, "SealRequest")
    try visitor.message(SealReply.self, "SealReply")
    try visitor.message(UnsealRequest.self, "UnsealRequest")
    try visitor.message(UnsealReply.self, "UnsealReply")
    try visitor.message(SignRequest.self, "SignRequest")
    try visitor.message(SignReply.self, "SignReply")
    try visitor.message(VerifyRequest.self, "VerifyRequest")
    try visitor.message(MACRequest.self, "MacRequest")
    try visitor.message(MACReply.self, "MacReply")
    try visitor.message(VerifyMACRequest.self, "VerifyMacRequest")
    try visitor.message(UnwrapRequest.self, "UnwrapRequest")
    try visitor.message(UnwrapReply.self, "UnwrapReply")
    try visitor.message(ReleaseHandleRequest.self, "ReleaseHandleRequest")
    try visitor.message(TokeniseRequest.self, "TokeniseRequest")
    try visitor.message(TokeniseReply.self, "TokeniseReply")
    try visitor.message(DetokeniseRequest.self, "DetokeniseRequest")
    try visitor.message(DetokeniseReply.self, "DetokeniseReply")
    try visitor.message(OpenEnvelopeRequest.self, "OpenEnvelopeRequest")
    try visitor.message(StatusReport.self, "StatusReport")
    try visitor.message(Figure.self, "Figure")
    try visitor.message(MetricsReply.self, "MetricsReply")
    try visitor.message(UnlockRequest.self, "UnlockRequest")
    try visitor.message(ImportKeyRequest.self, "ImportKeyRequest")
    try visitor.message(ReviewLogRequest.self, "ReviewLogRequest")
    try visitor.message(SubmitShareRequest.self, "SubmitShareRequest")
    try visitor.message(ShareProgressReply.self, "ShareProgressReply")
    try visitor.message(DrilledKey.self, "DrilledKey")
    try visitor.message(RecordDrillRequest.self, "RecordDrillRequest")
    try visitor.message(RecordDrillReply.self, "RecordDrillReply")
    try visitor.message(CertificateRequestRequest.self, "CertificateRequestRequest")
    try visitor.message(CertificateRequestReply.self, "CertificateRequestReply")
    try visitor.message(ExportKeyRequest.self, "ExportKeyRequest")
    try visitor.message(ExportKeyReply.self, "ExportKeyReply")
    try visitor.message(GenerateKeyRequest.self, "GenerateKeyRequest")
    try visitor.message(AttachCertificateRequest.self, "AttachCertificateRequest")
    try visitor.message(ApproveRequest.self, "ApproveRequest")
    try visitor.message(PendingRequest.self, "PendingRequest")
    try visitor.message(ListRequestsReply.self, "ListRequestsReply")
    try visitor.message(SwapPolicyRequest.self, "SwapPolicyRequest")
    try visitor.message(BackUpReply.self, "BackUpReply")
  }

  /// Every enum's values, by their names in `proto/kist.proto`.
  package static let enumerations: [String: [String: UInt64]] = [
    "Opcode": numbers(
      Opcode.self,
      """
      OPCODE_PING
      OPCODE_DESCRIBE
      OPCODE_LIST_KEYS
      OPCODE_DESCRIBE_KEY
      OPCODE_RANDOM
      OPCODE_WHO
      OPCODE_AUDIT_DIGEST
      OPCODE_READY
      OPCODE_VERIFY_PAYMENT_TOKEN
      OPCODE_OPEN_PAYMENT_TOKEN
      OPCODE_PROVISION_PASS
      OPCODE_PROVISION_TRACE
      OPCODE_SIGN_OTP
      OPCODE_VERIFY_OTP
      OPCODE_ENROL_AUTHENTICATOR
      OPCODE_ECDH
      OPCODE_KDF
      OPCODE_SEAL
      OPCODE_UNSEAL
      OPCODE_SIGN
      OPCODE_VERIFY
      OPCODE_MAC
      OPCODE_VERIFY_MAC
      OPCODE_UNWRAP
      OPCODE_RELEASE_HANDLE
      OPCODE_TOKENISE
      OPCODE_DETOKENISE
      OPCODE_OPEN_ENVELOPE
      OPCODE_STATUS
      OPCODE_UNLOCK
      OPCODE_LOCK
      OPCODE_IMPORT_KEY
      OPCODE_REVIEW_LOG
      OPCODE_SUBMIT_SHARE
      OPCODE_SHARE_PROGRESS
      OPCODE_RECORD_DRILL
      OPCODE_METRICS
      OPCODE_CERTIFICATE_REQUEST
      OPCODE_EXPORT_KEY
      OPCODE_IMPORT_BLOCK
      OPCODE_GENERATE_KEY
      OPCODE_ACTIVATE_KEY
      OPCODE_RETIRE_KEY
      OPCODE_COMPROMISE_KEY
      OPCODE_DESTROY_KEY
      OPCODE_ATTACH_CERTIFICATE
      OPCODE_APPROVE
      OPCODE_LIST_REQUESTS
      OPCODE_SWAP_POLICY
      OPCODE_BACK_UP
      OPCODE_SUSPEND_KEY
      OPCODE_RESUME_KEY
      OPCODE_RESET_OTP_LOCKOUT
      """),
    "Status": numbers(
      Status.self,
      """
      STATUS_OK
      STATUS_MALFORMED
      STATUS_UNSUPPORTED
      STATUS_DENIED
      STATUS_REJECTED
      STATUS_BUSY
      STATUS_LOCKED
      STATUS_AUDIT_UNAVAILABLE
      STATUS_INTERNAL
      STATUS_APPROVAL_NEEDED
      """),
    "TokenVersion": numbers(
      ApplePayTokenVersion.self,
      """
      EC_V1
      RSA_V1
      """),
    "Stage": numbers(
      Stage.self,
      """
      FORMAT
      VERSION
      CMS
      LEAF_MARKER
      INTERMEDIATE_MARKER
      EXTRA_CERTIFICATE
      CHAIN
      SIGNER
      ALGORITHM
      SIGNED_ATTRIBUTES
      MESSAGE_DIGEST
      SIGNATURE
      CERTIFICATE_VALIDITY
      SIGNING_TIME
      PUBLIC_KEY_HASH
      REPLAY
      KEY_AGREEMENT
      TAG
      PLAINTEXT
      EXPECTATION
      PASSPHRASE
      KEY_IMPORT
      KEY_STATE
      OWN_REQUEST
      UNKNOWN_REQUEST
      KEY_BLOCK
      KEY_EXPORT
      NOT_RELEASED
      PEER_KEY
      PARAMETERS
      ENVELOPE
      INVOCATIONS
      MAC
      UNWRAP
      ENCRYPTION_SCHEME
      MISSING_FIELD
      SURPLUS_FIELD
      FIELD_VALUE
      ISSUER_CERTIFICATE
      ISSUER_LEAF_MARKER
      ISSUER_CHAIN_LENGTH
      ISSUER_INTERMEDIATE_MARKER
      ISSUER_INTERMEDIATE_NAME
      ISSUER_CHAIN
      ISSUER_KEY_USAGE
      ISSUER_CRITICAL_EXTENSION
      ISSUER_LEAF_CURVE
      ISSUER_VALIDITY
      OTP_INPUT
      OTP_KEY_EXPIRED
      OTP_CODE
      OTP_LOCKED
      OTP_NOT_RESTORED
      OTP_HOME
      STAND_IN_KEY
      PAN
      STAND_IN
      EXPIRED
      ENVELOPE_USED
      PARTNER_KEY
      CLAIMS
      CHECKPOINT
      SHARE_FORM
      SHARE_REGISTER
      SHARE_SPLIT
      SHARE_HOLDER
      SHARE_DUPLICATE
      SHARE_HOLDER_TWICE
      SHARE_SURPLUS
      SHARE_COMBINATION
      SHARE_COOL_DOWN
      OTHER_KEK
      BACKUP
      """),
    "ReleasedField": numbers(
      ReleasedField.self,
      """
      DPAN
      LAST4
      BIN
      NETWORK
      EXPIRY
      CURRENCY
      AMOUNT
      CRYPTOGRAM
      ECI
      PAYMENT_DATA_TYPE
      DEVICE_MANUFACTURER
      EMV_DATA
      ENCRYPTED_PIN
      CARDHOLDER_NAME
      AUTHENTICATION_RESPONSES
      MERCHANT_TOKEN
      RAW
      SURROGATE
      PAYMENT_ENVELOPE
      JWE
      """),
    "Derivation": numbers(
      DerivationChoice.self,
      """
      ONE_STEP_SHA256
      ONE_STEP_SHA384
      ONE_STEP_SHA512
      X963_SHA256
      X963_SHA384
      X963_SHA512
      HKDF_SHA256
      HKDF_SHA384
      HKDF_SHA512
      """),
    "SignatureScheme": numbers(
      SignatureChoice.self,
      """
      ECDSA_P256_SHA256
      ECDSA_P384_SHA384
      ECDSA_P256_SHA256_FIXED
      ECDSA_P384_SHA384_FIXED
      RSA_PKCS1_SHA256
      RSA_PKCS1_SHA384
      RSA_PKCS1_SHA512
      RSA_PSS_SHA256
      RSA_PSS_SHA384
      RSA_PSS_SHA512
      ED25519
      """),
    "MacAlgorithm": numbers(
      MACChoice.self,
      """
      HMAC_SHA256
      HMAC_SHA384
      HMAC_SHA512
      AES_CMAC
      """),
    "DigestField": numbers(
      DigestField.self,
      """
      DIGEST_TRANSACTION
      DIGEST_PAN
      DIGEST_SUBJECT
      """),
    "PassField": numbers(
      PassField.self,
      """
      ENCRYPTED_PRIMARY_ACCOUNT_NUMBER
      EXPIRATION
      NAME
      NETWORK_NAME
      NONCE
      NONCE_SIGNATURE
      PRIMARY_ACCOUNT_IDENTIFIER
      PRIMARY_ACCOUNT_NUMBER
      PRIMARY_ACCOUNT_NUMBER_PREFIX
      PRODUCT_TYPE
      ACCOUNT_ENVELOPE
      ACTIVATION
      ACCOUNT_SURROGATE
      """),
    "EncryptionScheme": numbers(
      EncryptionScheme.self,
      """
      EV_ECC_V2
      EV_RSA_V2
      """),
    "PassConfiguration": numbers(
      PassConfiguration.self,
      """
      ACCOUNT_NUMBER
      ACCOUNT_IDENTIFIER
      ENCRYPTED_ACCOUNT_NUMBER
      ENCRYPTED_ACCOUNT_NUMBER_UNNAMED
      """),
    "VisaType": numbers(
      VisaType.self,
      """
      MBPAC
      MBPAD
      MPAC
      MPAD
      """),
    "OtpHash": numbers(
      OTPHashName.self,
      """
      OTP_SHA1
      OTP_SHA256
      OTP_SHA512
      """),
    "ReviewOutcome": numbers(
      ReviewOutcome.self,
      """
      REVIEW_CLEAN
      REVIEW_FOLLOW_UP
      REVIEW_INCIDENT
      """),
    "Metric": numbers(
      Metric.self,
      """
      METRIC_REQUESTS
      METRIC_ANSWER_TIMES
      METRIC_REJECTIONS
      METRIC_DENIALS
      METRIC_BUSY
      METRIC_QUEUE_TIMES
      METRIC_COMPUTE_TIMES
      METRIC_COMMIT_TIMES
      METRIC_BATCH_REQUESTS
      METRIC_COMMIT_RECORDS
      METRIC_BATCHES_IN_FLIGHT
      METRIC_USER_CONNECTIONS
      METRIC_SOCKET_CONNECTIONS
      METRIC_SOCKET_CONNECTIONS_LIMIT
      METRIC_HANDLES
      METRIC_CONNECTION_HANDLES_MOST
      METRIC_CONNECTION_HANDLES_LIMIT
      METRIC_STACKS
      METRIC_STACKS_LIMIT
      METRIC_REPLAY_ENTRIES
      METRIC_REPLAY_ENTRIES_LIMIT
      METRIC_PROCESSOR_TIME
      METRIC_FLEET_INFO
      METRIC_CLAIMS_AWAY
      METRIC_CLAIMS_UNANSWERED
      METRIC_CLAIMS_REFUSED
      METRIC_LOCAL_OPENINGS
      METRIC_DUPLICATE_OPENINGS
      METRIC_CLAIM_TIMES
      METRIC_SIGNING_CERTIFICATE_LAST_TOKEN
      METRIC_SIGNING_CERTIFICATE_END
      """),
  ]
}
