internal import Encoding
package import Wire

/// The input of a value for Visa Token Service; in a pass, fields that the pass has, too, may be left out.
public struct VisaOTP: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Activation data: nonce and authentication code.
    case mbpac = "MBPAC"
    /// Authentication data: card number and expiry.
    case mbpad = "MBPAD"
    /// The newer names of the two.
    case mpac = "MPAC"
    case mpad = "MPAD"
  }

  public var kind: Kind
  public var nonce: [UInt8]
  public var authenticationCode, accountNumber: String
  /// MMYY.
  public var expiry: String

  public init(_ kind: Kind, nonce: [UInt8] = [], authenticationCode: String = "", accountNumber: String = "", expiry: String = "") {
    (self.kind, self.nonce, self.authenticationCode) = (kind, nonce, authenticationCode)
    (self.accountNumber, self.expiry) = (accountNumber, expiry)
  }

  /// - Parameter secret: replaces the number or the code, unless it is empty.
  package func encode(into writer: inout MessageWriter, secret: Span<UInt8>) throws(WireError) {
    let type: VisaType =
      switch kind {
      case .mbpac: .mbpac
      case .mbpad: .mbpad
      case .mpac: .mpac
      case .mpad: .mpad
      }
    let isAccount = kind == .mbpad || kind == .mpad
    let code = authenticationCode.utf8.span, number = accountNumber.utf8.span
    if secret.isEmpty {
      try VisaInput(type: type, nonce: nonce.span, authenticationCode: code, accountNumber: number, expiry: expiry.utf8.span).encode(into: &writer)
    } else if isAccount {
      try VisaInput(type: type, nonce: nonce.span, authenticationCode: code, accountNumber: secret, expiry: expiry.utf8.span).encode(into: &writer)
    } else {
      try VisaInput(type: type, nonce: nonce.span, authenticationCode: secret, accountNumber: number, expiry: expiry.utf8.span).encode(into: &writer)
    }
  }
}

/// The input of a tokenization authentication value of Mastercard; in a pass, fields that the pass has, too, may be left out.
public struct MastercardOTP: Sendable {
  /// 2, 3 or 4.
  public var version: Int
  public var accountNumber: String
  /// MMYY.
  public var expiry: String
  /// Version 2.
  public var tokenReference: String
  /// Versions 3 and 4: seconds since 1970, at most 30 days ahead; nil for half an hour from now.
  public var validUntil: Int64?

  public init(version: Int = 3, accountNumber: String = "", expiry: String = "", tokenReference: String = "", validUntil: Int64? = nil) {
    (self.version, self.accountNumber, self.expiry) = (version, accountNumber, expiry)
    (self.tokenReference, self.validUntil) = (tokenReference, validUntil)
  }

  /// - Parameter secret: replaces the number, unless it is empty.
  package func encode(into writer: inout MessageWriter, secret: Span<UInt8>) throws(WireError) {
    let number = accountNumber.utf8.span
    try MastercardInput(
      version: UInt32(clamping: version), accountNumber: secret.isEmpty ? number : secret, expiry: expiry.utf8.span,
      tokenReference: tokenReference.utf8.span, validUntil: UInt64(clamping: validUntil ?? 0)
    ).encode(into: &writer)
  }
}

/// A one-time value, in locked memory for the life of this value.
public struct OneTimeValue: ~Copyable {
  private let reply: Reply
  /// The counter or time step of a person's code.
  public let counter: UInt64?
  public var auditSequence: UInt64? { reply.auditSequence }

  init(_ reply: consuming Reply) throws(ClientError) {
    do throws(WireError) { counter = try SignOTPReply(MessageReader(reply.body)).counter } catch { throw .malformedReply }
    self.reply = reply
  }

  /// Reads the value in place: UTF-8 text.
  public borrowing func withValue<R>(_ body: (Span<UInt8>) -> R) -> R {
    do throws(WireError) { return body(try SignOTPReply(MessageReader(reply.body)).otp) } catch { return body(reply.body.extracting(first: 0)) }
  }
}

extension Client {
  /// A value for Visa Token Service.
  ///
  /// - Parameter key: 16 bytes.
  public func signOTP(_ visa: VisaOTP, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(visa, secret: Array("".utf8).span, key: key)
  }

  /// The same with number or code from secret memory.
  package func signOTP(_ visa: VisaOTP, secret: Span<UInt8>, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(key) { (writer) throws(WireError) in
      try writer.message(SignOTPRequest.Fields.visa) { (nested) throws(WireError) in try visa.encode(into: &nested, secret: secret) }
    }
  }

  /// A tokenization authentication value of Mastercard.
  public func signOTP(_ mastercard: MastercardOTP, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(mastercard, secret: Array("".utf8).span, key: key)
  }

  /// The same with the number from secret memory.
  package func signOTP(_ mastercard: MastercardOTP, secret: Span<UInt8>, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(key) { (writer) throws(WireError) in
      try writer.message(SignOTPRequest.Fields.mastercard) { (nested) throws(WireError) in try mastercard.encode(into: &nested, secret: secret) }
    }
  }

  /// A code for a person.
  ///
  /// - Parameters:
  ///   - subject: the person for whom the code is, up to 128 bytes; empty for the key's own codes.
  ///   - counter: the counter of a counted code; nil for the next one.
  public func signOTP(subject: String, counter: UInt64? = nil, key: [UInt8]) throws(ClientError) -> OneTimeValue {
    try signOTP(key) { (writer) throws(WireError) in
      try writer.bytes(SignOTPRequest.Fields.subject, subject.utf8.span, atMost: OTPSubject.cap)
      if let counter { try writer.uint(SignOTPRequest.Fields.counter, counter) }
    }
  }

  /// Checks a person's code; each code is accepted only once.
  ///
  /// - Returns: the counter or time step of the code.
  /// - Throws: `ClientError.refused`, with stage `otp-code` or `otp-locked` if the grant shows stages.
  public func verifyOTP(_ code: Span<UInt8>, subject: String, key: [UInt8]) throws(ClientError) -> UInt64 {
    let reply = try call(.verifyOTP, key: try keyID(key)) { (writer) throws(WireError) in
      try VerifyOTPRequest(subject: subject.utf8.span, code: code).encode(into: &writer)
    }
    do throws(WireError) { return try VerifyOTPReply(MessageReader(reply.body)).counter } catch { throw .malformedReply }
  }

  private func signOTP(_ key: [UInt8], _ encode: (inout MessageWriter) throws(WireError) -> Void) throws(ClientError) -> OneTimeValue {
    try OneTimeValue(try call(.signOTP, key: try keyID(key), bodyCap: 2048, encode))
  }
}
