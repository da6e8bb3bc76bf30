/// `sign-otp`: makes the one-time value that the key's role makes.
package struct SignOTPRequest: ~Escapable {
  /// Whom a code is for; empty for the key's own.
  package let subject: Span<UInt8>
  /// The counter of a counted code; nil for the next.
  package let counter: UInt64?
  private let inputs: NetworkInputs

  @_lifetime(copy subject, copy inputs)
  package init(subject: Span<UInt8>, counter: UInt64?, inputs: consuming NetworkInputs) {
    self.subject = subject
    self.counter = counter
    self.inputs = inputs
  }

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    subject = try body.text(Fields.subject, atMost: OTPSubject.cap)
    counter = try body.optionalUInt64(Fields.counter)
    inputs = try NetworkInputs(&body, visa: Fields.visa, mastercard: Fields.mastercard)
    try body.end()
  }

  package func encode(into writer: inout MessageWriter) throws(WireError) {
    try writer.bytes(Fields.subject, subject, atMost: OTPSubject.cap)
    if let counter { try writer.uint(Fields.counter, counter) }
    try inputs.encode(into: &writer, visa: Fields.visa, mastercard: Fields.mastercard)
  }

  /// For a network; neither where the key makes codes.
  package var network: NetworkInputs {
    @_lifetime(copy self)
    get { inputs }
  }

  package enum Fields {
    package static let subject = Field(1, "subject", .string)
    package static let counter = Field(2, "counter", .uint64, .optional)
    package static let visa = Field(3, "visa", .message("VisaInput"))
    package static let mastercard = Field(4, "mastercard", .message("MastercardInput"))
  }

  package static let schema = MessageSchema("SignOtpRequest", [Fields.subject, Fields.counter, Fields.visa, Fields.mastercard])
}

package enum OTPSubject {
  /// Bytes.
  package static let cap = 128
}

/// What the values of payment networks are made from: at most one is there.
package struct NetworkInputs: ~Escapable {
  package enum Network: Sendable { case none, visa, mastercard, both }

  package let network: Network
  private let visaBody, mastercardBody: Span<UInt8>

  /// Messages that were encoded before, or empty.
  @_lifetime(copy visa, copy mastercard)
  package init(visa: Span<UInt8>, mastercard: Span<UInt8>) throws(WireError) {
    if !visa.isEmpty { _ = try VisaInput(MessageReader(visa)).type }
    if !mastercard.isEmpty { _ = try MastercardInput(MessageReader(mastercard)).version }
    network =
      switch (visa.isEmpty, mastercard.isEmpty) {
      case (true, true): .none
      case (false, true): .visa
      case (true, false): .mastercard
      case (false, false): .both
      }
    visaBody = visa
    mastercardBody = mastercard
  }

  @_lifetime(copy body)
  init(_ body: inout MessageReader, visa: Field, mastercard: Field) throws(WireError) {
    let visaBody = try body.bytes(visa, atMost: Self.cap)
    let mastercardBody = try body.bytes(mastercard, atMost: Self.cap)
    try self.init(visa: visaBody, mastercard: mastercardBody)
  }

  func encode(into writer: inout MessageWriter, visa: Field, mastercard: Field) throws(WireError) {
    try writer.bytes(visa, visaBody, atMost: Self.cap)
    try writer.bytes(mastercard, mastercardBody, atMost: Self.cap)
  }

  /// Of a request whose network it is; it was read before, when the request was.
  @_lifetime(copy self)
  package func visa() throws(WireError) -> VisaInput {
    try VisaInput(MessageReader(visaBody))
  }

  @_lifetime(copy self)
  package func mastercard() throws(WireError) -> MastercardInput {
    try MastercardInput(MessageReader(mastercardBody))
  }

  /// Bytes of one.
  package static let cap = 256
}

/// A one-time value: a network's string or JSON, or a person's digits.
package struct SignOTPReply: ~Escapable {
  package let otp: Span<UInt8>
  /// Of a counted code.
  package let counter: UInt64?

  @_lifetime(copy body)
  package init(_ body: consuming MessageReader) throws(WireError) {
    otp = try body.text(Self.otpField, atMost: 2048)
    counter = try body.optionalUInt64(Self.counterField)
    try body.end()
  }

  package static let otpField = Field(1, "otp", .string)
  package static let counterField = Field(2, "counter", .uint64, .optional)
  package static let schema = MessageSchema("SignOtpReply", [otpField, counterField])
}
