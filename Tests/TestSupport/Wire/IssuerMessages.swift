internal import Wire

extension Decoded {
  /// The messages of provisioning and of one-time values.
  static func issuer(_ name: String, _ bytes: Span<UInt8>, _ listing: inout Listing, _ writer: inout MessageWriter) throws {
    let body = MessageReader(bytes)
    switch name {
    case "OtpParameters":
      let message = try OTPParameters(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "VisaInput":
      let message = try VisaInput(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "MastercardInput":
      let message = try MastercardInput(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "ProvisionPassRequest":
      let message = try ProvisionPassRequest(bytes)
      try listing.add(message)
      try message.encode(into: &writer)
    case "ProvisionPassReply":
      let message = try ProvisionPassReply(body)
      listing.add(message)
      try writer.bytes(ProvisionPassReply.encryptedPassDataField, message.encryptedPassData)
      try writer.bytes(ProvisionPassReply.ephemeralPublicKeyField, message.ephemeralPublicKey)
      try writer.bytes(ProvisionPassReply.activationDataField, message.activationData)
    case "ProvisionTraceRequest":
      let message = try ProvisionTraceRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "ProvisionTraceReply":
      let message = try ProvisionTraceReply(body)
      listing.add(message)
      try encode(message, into: &writer)
    case "SignOtpRequest":
      let message = try SignOTPRequest(body)
      try listing.add(message)
      try message.encode(into: &writer)
    case "SignOtpReply":
      let message = try SignOTPReply(body)
      listing.add(message)
      try writer.bytes(SignOTPReply.otpField, message.otp)
      if let counter = message.counter { try writer.uint(SignOTPReply.counterField, counter) }
    case "VerifyOtpRequest":
      let message = try VerifyOTPRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "VerifyOtpReply":
      let message = try VerifyOTPReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    default: throw Flaw.unknownMessage(name)
    }
  }

  private static func encode(_ reply: borrowing ProvisionTraceReply, into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(ProvisionTraceReply.publicKeyHashField, reply.publicKeyHash)
    try writer.bytes(ProvisionTraceReply.ephemeralPublicKeyField, reply.ephemeralPublicKey)
    try writer.bytes(ProvisionTraceReply.sharedSecretField, reply.sharedSecret)
    try writer.bytes(ProvisionTraceReply.otherInfoField, reply.otherInfo)
    try writer.bytes(ProvisionTraceReply.sharedKeyField, reply.sharedKey)
    try writer.bytes(ProvisionTraceReply.encryptedPassDataField, reply.encryptedPassData)
  }
}

extension Listing {
  mutating func add(_ parameters: OTPParameters) {
    text("key_set", parameters.keySet)
    text("key_alias", parameters.keyAlias)
    number("digits", parameters.digits)
    number("hash", parameters.hash?.rawValue ?? 0)
    number("step", parameters.step)
    optional("window", parameters.window.map(UInt64.init))
    number("failures", parameters.failures)
    number("lockout", parameters.lockout)
  }

  mutating func add(_ input: borrowing VisaInput) {
    number("type", input.type.rawValue)
    bytes("nonce", input.nonce)
    text("authentication_code", input.authenticationCode)
    text("account_number", input.accountNumber)
    text("expiry", input.expiry)
  }

  mutating func add(_ input: borrowing MastercardInput) {
    number("version", input.version)
    text("account_number", input.accountNumber)
    text("expiry", input.expiry)
    text("token_reference", input.tokenReference)
    number("valid_until", input.validUntil)
  }

  mutating func add(_ inputs: borrowing NetworkInputs) throws(WireError) {
    if inputs.network == .visa || inputs.network == .both {
      let visa = try inputs.visa()
      nested("visa") { $0.add(visa) }
    }
    if inputs.network == .mastercard || inputs.network == .both {
      let mastercard = try inputs.mastercard()
      nested("mastercard") { $0.add(mastercard) }
    }
  }

  mutating func add(_ request: borrowing ProvisionPassRequest) throws(WireError) {
    number("scheme", request.scheme.rawValue)
    for (i, certificate) in request.certificates.enumerated() { bytes("certificates[\(i)]", certificate.span) }
    number("configuration", request.configuration.rawValue)
    for field in ProvisionPassRequest.valueFields {
      let place = ProvisionPassRequest.field(field)
      if place.kind == .string { text(place.name, request[field]) } else { bytes(place.name, request[field]) }
    }
    bytes("envelope_context", request.envelopeContext)
    try add(request.network)
    bytes("activation_data", request.activationData)
  }

  mutating func add(_ reply: borrowing ProvisionPassReply) {
    bytes("encrypted_pass_data", reply.encryptedPassData)
    bytes("ephemeral_public_key", reply.ephemeralPublicKey)
    bytes("activation_data", reply.activationData)
  }

  mutating func add(_ request: borrowing ProvisionTraceRequest) {
    bytes("recipient", request.recipient)
    bytes("ephemeral_private_key", request.ephemeralPrivateKey)
    bytes("pass_data", request.passData)
  }

  mutating func add(_ reply: borrowing ProvisionTraceReply) {
    bytes("public_key_hash", reply.publicKeyHash)
    bytes("ephemeral_public_key", reply.ephemeralPublicKey)
    bytes("shared_secret", reply.sharedSecret)
    bytes("other_info", reply.otherInfo)
    bytes("shared_key", reply.sharedKey)
    bytes("encrypted_pass_data", reply.encryptedPassData)
  }

  mutating func add(_ request: borrowing SignOTPRequest) throws(WireError) {
    text("subject", request.subject)
    optional("counter", request.counter)
    try add(request.network)
  }

  mutating func add(_ reply: borrowing SignOTPReply) {
    text("otp", reply.otp)
    optional("counter", reply.counter)
  }

  mutating func add(_ request: borrowing VerifyOTPRequest) {
    text("subject", request.subject)
    text("code", request.code)
  }

  mutating func add(_ reply: VerifyOTPReply) { number("counter", reply.counter) }
}
