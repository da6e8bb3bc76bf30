internal import Wire

// One function for each message, in the order of `Schema.messages`.

extension Listing {
  mutating func add(_ token: PaymentTokenMessage) {
    number("version", token.version.rawValue)
    bytes("data", token.data)
    bytes("signature", token.signature)
    bytes("ephemeral_public_key", token.ephemeralPublicKey)
    bytes("wrapped_key", token.wrappedKey)
    bytes("public_key_hash", token.publicKeyHash)
    bytes("transaction_id", token.transactionID)
    bytes("application_data", token.applicationData)
  }

  mutating func add(_ rejection: Rejection) {
    number("stage", rejection.stage.rawValue)
    number("field", rejection.field?.rawValue ?? 0)
  }

  mutating func add(_ operation: DescribeReply.Operation) {
    number("opcode", operation.opcode)
    text("name", operation.name)
    number("request_cap", operation.requestCap)
  }

  mutating func add(_ reply: DescribeReply) {
    text("product_version", reply.productVersion)
    number("wire_version", reply.wireVersion)
    for (i, operation) in reply.operations.enumerated() { nested("operations[\(i)]") { $0.add(operation) } }
    number("in_flight", reply.inFlight)
    flag("rehearsal", reply.rehearsal)
  }

  mutating func add(_ key: KeyDescription) {
    bytes("id", key.id.span)
    text("label", key.label)
    text("role", key.role)
    text("state", key.state)
    text("algorithm", key.algorithm)
    text("usage", key.usage)
    text("merchant_identifier", key.merchantIdentifier)
    bytes("public_key", key.publicKey.span)
    bytes("check_value", key.checkValue.span)
    bytes("certificate", key.certificate.span)
    number("created", key.created)
    number("activated", key.activated)
    number("not_after", key.notAfter)
    number("last_use", key.lastUse)
    number("uses", key.uses)
    nested("otp") { $0.add(key.otp) }
    flag("exportable", key.exportable)
  }

  mutating func add(_ request: ListKeysRequest) {
    text("prefix", request.prefix)
    text("after", request.after)
  }

  mutating func add(_ reply: ListKeysReply) {
    for (i, key) in reply.keys.enumerated() { nested("keys[\(i)]") { $0.add(key) } }
    flag("more", reply.more)
  }

  mutating func add(_ request: RandomRequest) { number("count", request.count) }

  mutating func add(_ reply: borrowing RandomReply) { bytes("random", reply.random) }

  mutating func add(_ right: WhoReply.Right) {
    text("grant", right.grant)
    texts("operations", right.operations)
    texts("keys", right.keys)
    texts("released", right.released)
    flag("stages", right.showsStage)
    text("rate", right.rate)
    text("quota", right.quota)
    text("key_quota", right.keyQuota)
    number("until", right.until)
    texts("hours", right.hours)
  }

  mutating func add(_ reply: WhoReply) {
    number("uid", reply.uid)
    number("gid", reply.gid)
    text("unit", reply.unit)
    for (i, right) in reply.rights.enumerated() { nested("rights[\(i)]") { $0.add(right) } }
    flag("more", reply.more)
  }

  mutating func add(_ request: borrowing AuditDigestRequest) {
    number("field", request.field.rawValue)
    bytes("value", request.value)
  }

  mutating func add(_ reply: AuditDigestReply) { text("digest", reply.digest) }

  mutating func add(_ request: borrowing VerifyPaymentTokenRequest) {
    let token = request.token
    nested("token") { $0.add(token) }
    bytes("expected_application_data", request.expectedApplicationData)
  }

  mutating func add(_ reply: VerifyPaymentTokenReply) { number("signing_time", reply.signingTime) }

  mutating func add(_ request: borrowing OpenPaymentTokenRequest) {
    let token = request.token
    nested("token") { $0.add(token) }
    for (i, field) in request.release.fields.enumerated() { number("release[\(i)]", field.rawValue) }
    text("expected_currency", request.expectedCurrency)
    optional("expected_amount", request.expectedAmount)
    bytes("expected_application_data", request.expectedApplicationData)
  }

  mutating func add(_ reply: borrowing OpenPaymentTokenReply) {
    text("dpan", reply[.dpan])
    text("last4", reply[.last4])
    text("bin", reply[.bin])
    text("network", reply[.network])
    text("expiry", reply[.expiry])
    text("currency", reply[.currency])
    optional("amount", reply.amount)
    text("cryptogram", reply[.cryptogram])
    text("eci", reply[.eci])
    text("payment_data_type", reply[.paymentDataType])
    text("device_manufacturer", reply[.deviceManufacturer])
    text("emv_data", reply[.emvData])
    text("encrypted_pin", reply[.encryptedPIN])
    text("cardholder_name", reply[.cardholderName])
    text("authentication_responses", reply[.authenticationResponses])
    text("merchant_token", reply[.merchantToken])
    bytes("raw", reply[.raw])
    number("signing_time", reply.signingTime)
    bytes("pan_envelope", reply[.panEnvelope])
    text("surrogate", reply[.surrogate])
  }

  mutating func add(_ report: StatusReport) {
    text("state", report.state)
    text("product_version", report.productVersion)
    flag("rehearsal", report.rehearsal)
    number("started", report.started)
    number("keys", report.keys)
    number("connections", report.connections)
    number("audit_size", report.auditSize)
    bytes("audit_root", report.auditRoot.span)
    text("audit_verifier_key", report.auditVerifierKey)
    bytes("policy_hash", report.policyHash.span)
    text("arena", report.arena)
    number("arena_capacity", report.arenaCapacity)
    number("arena_used", report.arenaUsed)
    number("arena_peak", report.arenaPeak)
    flag("dumpable", report.dumpable)
    number("locked_bytes", report.lockedBytes)
    number("swapped_bytes", report.swappedBytes)
    flag("core_dumps", report.coreDumps)
    if let scope = report.ptraceScope { always("ptrace_scope", "\(scope)") }
    number("seccomp", report.seccomp)
    flag("landlock", report.landlock)
    text("audit_condition", report.auditCondition)
    number("audit_free", report.auditFree)
    number("stack_capacity", report.stackCapacity)
    number("resident_bytes", report.residentBytes)
    text("unmatched_grants", report.unmatchedGrants)
  }

  mutating func add(_ request: ReviewLogRequest) {
    number("size", request.size)
    let root = request.root
    bytes("root", root.span)
    text("outcome", request.outcome.rawValue)
    text("note", request.note)
  }

  mutating func add(_ request: borrowing UnlockRequest) { bytes("passphrase", request.passphrase) }

  mutating func add(_ request: borrowing ImportKeyRequest) {
    text("label", request.label)
    text("role", request.role)
    bytes("private_key", request.privateKey)
    bytes("certificate", request.certificate)
    text("merchant_identifier", request.merchantIdentifier)
    flag("activate", request.activate)
    number("not_after", request.notAfter)
    nested("otp") { $0.add(request.otp) }
    flag("exportable", request.exportable)
  }

  mutating func add(_ request: borrowing SubmitShareRequest) { bytes("words", request.words) }

  mutating func add(_ reply: ShareProgressReply) {
    number("present", reply.present)
    number("needed", reply.needed)
    number("until", reply.until)
    flag("unlocked", reply.unlocked)
  }

  mutating func add(_ key: DrilledKey) {
    bytes("id", key.id.span)
    bytes("check_value", key.checkValue.span)
  }

  mutating func add(_ request: RecordDrillRequest) {
    number("generation", request.generation)
    bytes("kek", request.kek.span)
    for (i, key) in request.keys.enumerated() { nested("keys[\(i)]") { $0.add(key) } }
  }

  mutating func add(_ reply: RecordDrillReply) {
    number("matched", reply.matched)
    number("surplus", reply.surplus)
    for (i, label) in reply.missing.enumerated() { text("missing[\(i)]", label) }
    for (i, label) in reply.different.enumerated() { text("different[\(i)]", label) }
  }

  mutating func add(_ request: CertificateRequestRequest) {
    text("organization", request.organization)
    text("country", request.country)
  }

  mutating func add(_ reply: borrowing CertificateRequestReply) { bytes("request", reply.request) }

  mutating func add(_ request: ExportKeyRequest) { bytes("exchange_key", request.exchangeKey.span) }

  mutating func add(_ reply: ExportKeyReply) { text("block", reply.block) }

  mutating func add(_ needed: ApprovalNeeded) {
    text("request", needed.request)
    number("until", needed.until)
  }

  mutating func add(_ request: GenerateKeyRequest) {
    text("label", request.label)
    text("role", request.role)
    text("algorithm", request.algorithm)
    text("merchant_identifier", request.merchantIdentifier)
    flag("pre_active", request.preActive)
    number("not_before", request.notBefore)
    number("not_after", request.notAfter)
    number("use_limit", request.useLimit)
    nested("otp") { $0.add(request.otp) }
    flag("exportable", request.exportable)
  }

  mutating func add(_ request: borrowing AttachCertificateRequest) { bytes("certificate", request.certificate) }

  mutating func add(_ request: ApproveRequest) { text("request", request.request) }

  mutating func add(_ request: ListRequestsReply.Request) {
    text("id", request.id)
    number("uid", request.uid)
    text("operation", request.operation)
    bytes("key", request.key.span)
    text("label", request.label)
    bytes("digest", request.digest.span)
    number("until", request.until)
    if let uid = request.approvedBy { always("approved_by", String(uid)) }
  }

  mutating func add(_ reply: ListRequestsReply) {
    for (index, request) in reply.requests.enumerated() { nested("requests[\(index)]") { $0.add(request) } }
  }

  mutating func add(_ reply: BackUpReply) {
    text("name", reply.name)
    bytes("digest", reply.digest.span)
    number("generation", reply.generation)
    number("keys", UInt64(reply.keys))
  }

  mutating func add(_ request: SwapPolicyRequest) { bytes("policy_hash", request.policyHash.span) }
}
