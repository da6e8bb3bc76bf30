import Format
import KistClient
import Testing

@Suite("what apps and issuers' hosts send of a pass")
struct PassJSONTests {
  private func request(_ text: String) throws(PassJSONError) -> PassRequestJSON {
    let bytes = Array(text.utf8)
    return try PassRequestJSON(bytes.span)
  }

  private func sealed(_ text: String) throws(PassJSONError) -> SealedPassJSON {
    let bytes = Array(text.utf8)
    return try SealedPassJSON(bytes.span)
  }

  @Test func aRequestIsReadAsAnAppWritesIt() throws {
    let text =
      #" {"nonce" : "nAIwkg==", "certificates":[ "\/\/8=","AAE=" , "\u0041A=="],"nonceSignature":"QII=","device":{"model":["phone", 1]}} "#
    let found = try request(text)
    #expect(
      found
        == PassRequestJSON(
          certificates: [[0xFF, 0xFF], [0, 1], [0]], nonce: [0x9C, 0x02, 0x30, 0x92],
          nonceSignature: [0x40, 0x82]))
    let written = found.json.serialised
    #expect(try PassRequestJSON(written.span) == found)
    #expect(
      try request(#"{"certificates":[],"nonce":"","nonceSignature":""}"#).certificates.isEmpty)
  }

  @Test(arguments: [
    ("", PassJSONError.notObject), ("[]", .notObject), ("{", .notObject), ("\"a\"", .notObject),
    ("{\"nonce\":\"\",\"nonce\":\"\"}", .notObject),
    ("{}", .missing("certificates")),
    (#"{"certificates":["AA=="],"nonceSignature":""}"#, .missing("nonce")),
    (#"{"certificates":["AA=="],"nonce":""}"#, .missing("nonceSignature")),
    (#"{"certificates":"AA=="}"#, .malformed("certificates")),
    (#"{"certificates":[1]}"#, .malformed("certificates")),
    (#"{"certificates":[["AA=="]]}"#, .malformed("certificates")),
    (#"{"certificates":["AA"]}"#, .malformed("certificates")),
    (#"{"certificates":["A\\\"=="]}"#, .malformed("certificates")),
    (#"{"certificates":[null]}"#, .malformed("certificates")),
    (#"{"certificates":[],"nonce":1}"#, .malformed("nonce")),
    (#"{"certificates":[],"nonce":"9c023092zz"}"#, .malformed("nonce")),
  ])
  func requestsThatAreNone(_ text: String, _ error: PassJSONError) {
    #expect(throws: error) { try request(text) }
  }

  @Test(arguments: [
    #"{"encryptedPassData":"AAE=","ephemeralPublicKey":"BA==","activationData":"","auditSequence":7}"#,
    #"{"activation_data":"","audit_sequence":7,"encrypted_pass_data":"AAE=","ephemeral_public_key":"BA=="}"#,
  ])
  func anAnswerIsReadUnderEitherNames(_ text: String) throws {
    #expect(
      try sealed(text)
        == SealedPassJSON(encryptedPassData: [0, 1], ephemeralPublicKey: [4], activationData: []))
  }

  @Test(arguments: [
    ("x", PassJSONError.notObject), ("{}", .missing("encryptedPassData")),
    (#"{"encryptedPassData":""}"#, .missing("ephemeralPublicKey")),
    (#"{"encryptedPassData":"","ephemeral_public_key":""}"#, .missing("activationData")),
    (#"{"encrypted_pass_data":[]}"#, .malformed("encrypted_pass_data")),
    (#"{"encryptedPassData":"AA"}"#, .malformed("encryptedPassData")),
  ])
  func answersThatAreNone(_ text: String, _ error: PassJSONError) {
    #expect(throws: error) { try sealed(text) }
  }
}
