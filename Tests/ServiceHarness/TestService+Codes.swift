package import Format
import KeyStore
import TestSupport

/// A person's one-time codes.
extension TestService {
  /// The subject's next code; with another outcome than `ok`, none.
  package func nextCode(_ key: KeyID, of subject: String) throws -> (outcome: String, code: String)
  {
    let name = Array(subject.utf8)
    let body = try written(atMost: 160) {
      var request = SignOTPRequest()
      request.subject = name.span
      try request.encode(into: &$0)
    }
    let reply = try call(.signOTP, key: key, body: body)
    let outcome = try Self.outcome(reply)
    guard outcome == "ok" else { return (outcome, "") }
    return (
      outcome,
      String(decoding: try SignOTPReply(MessageReader(reply.body.span)).otp.array, as: UTF8.self)
    )
  }

  /// What becomes of a code that the subject types.
  package func tryCode(_ code: String, _ key: KeyID, of subject: String) throws -> String {
    let name = Array(subject.utf8)
    let code = Array(code.utf8)
    let body = try written(atMost: 160) {
      var request = VerifyOTPRequest()
      request.subject = name.span
      request.code = code.span
      try request.encode(into: &$0)
    }
    return try Self.outcome(call(.verifyOTP, key: key, body: body))
  }

  /// The status's name, or that of the stage at which a request was refused.
  package static func outcome(_ reply: (header: ReplyHeader, body: [UInt8])) throws -> String {
    guard reply.header.status == .rejected else { return reply.header.status.name }
    return try Rejection(MessageReader(reply.body.span)).stage.name
  }
}
