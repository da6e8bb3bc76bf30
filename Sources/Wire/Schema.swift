/// Every message of the protocol, in the order of `proto/kist.proto`.
package enum Schema {
  package static let messages: [MessageSchema] = [
    PaymentTokenMessage.schema,
    Rejection.schema,
    DescribeReply.Operation.schema,
    DescribeReply.schema,
    KeyDescription.schema,
    ListKeysRequest.schema,
    ListKeysReply.schema,
    RandomRequest.schema,
    RandomReply.schema,
    VerifyPaymentTokenRequest.schema,
    VerifyPaymentTokenReply.schema,
    OpenPaymentTokenRequest.schema,
    OpenPaymentTokenReply.schema,
    StatusReport.schema,
    UnlockRequest.schema,
    ImportKeyRequest.schema,
  ]
}
