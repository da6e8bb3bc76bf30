package import Format

/// What is done to every message of the protocol.
package protocol MessageVisitor {
  /// - Parameter name: as `proto/kist.proto` has it.
  mutating func message<M: Message & SendableMetatype & ~Escapable>(_ type: M.Type, _ name: String)
    throws
}

/// Every message of the protocol, in the order of `proto/kist.proto`.
package enum Schema {
  package static func visit(_ visitor: inout some MessageVisitor) throws {
    try visitor.message(PaymentTokenMessage.self, "PaymentToken")
    try visitor.message(Malformation.self, "Malformation")
    try visitor.message(Busy.self, "Busy")
    try visitor.message(Rejection.self, "Rejection")
    try visitor.message(ApprovalNeeded.self, "ApprovalNeeded")
    try visitor.message(DescribeReply.Operation.self, "OperationDescription")
    try visitor.message(DescribeReply.self, "DescribeReply")
    try visitor.message(OTPParameters.self, "OtpParameters")
    try visitor.message(KeyDescription.self, "KeyDescription")
    try visitor.message(ListKeysRequest.self, "ListKeysRequest")
    try visitor.message(ListKeysReply.self, "ListKeysReply")
    try visitor.message(RandomRequest.self, "RandomRequest")
    try visitor.message(RandomReply.self, "RandomReply")
    try visitor.message(WhoReply.Right.self, "Right")
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
    try visitor.message(MetricsReply.Figure.self, "Figure")
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
    try visitor.message(ListRequestsReply.Request.self, "PendingRequest")
    try visitor.message(ListRequestsReply.self, "ListRequestsReply")
    try visitor.message(SwapPolicyRequest.self, "SwapPolicyRequest")
    try visitor.message(BackUpReply.self, "BackUpReply")
  }
}

extension Schema {
  package static let tables: [(name: String, table: FieldTable)] = {
    var collector = Tables()
    do { try visit(&collector) } catch {
      preconditionFailure("a message cannot be listed: \(error)")
    }
    return collector.tables
  }()

  package static let messages = tables.map { MessageSchema($0.name, $0.table.fields) }

  /// `MESSAGE NUMBER NAME LEAST MOST plain | required | list COUNT`, of every field that has some.
  package static let bounds = tables.flatMap { name, table in table.bounds.map { "\(name) \($0)" } }

  private struct Tables: MessageVisitor {
    var tables: [(name: String, table: FieldTable)] = []

    mutating func message<M: Message & SendableMetatype & ~Escapable>(
      _ type: M.Type, _ name: String
    ) throws { tables.append((name, try FieldTable(type))) }
  }
}
