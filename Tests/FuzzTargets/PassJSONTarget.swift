import Format
import KistClient

/// What an app posts to an issuer's host, and what the host answers.
enum PassJSONTarget: FuzzTarget {
  static let name = "pass-json"
  static let byteLimit = 16 << 10

  static func seeds() throws -> [[UInt8]] {
    let texts = [
      #"{"certificates":["AAE=","\/\/8="],"nonce":"nAIwkg==","nonceSignature":"QII="}"#,
      #"{"certificates":[ ],"nonce":"","nonceSignature":"","a":[1,{}]}"#,
      #"{"encryptedPassData":"AAE=","ephemeralPublicKey":"BA==","activationData":""}"#,
      #"{"activation_data":"","audit_sequence":7,"encrypted_pass_data":"AAE=","ephemeral_public_key":"BA=="}"#,
      #"{"certificates":["\u0041A==","A\"\\"]}"#,
    ]
    return texts.map { Array($0.utf8) } + [DeepNesting.arrays(200), DeepNesting.objects(200)]
  }

  static func run(_ input: [UInt8]) throws {
    if let request = try? PassRequestJSON(input.span) {
      // Written down again it is the same request.
      let text = request.json.serialised
      try promise(
        (try? PassRequestJSON(text.span)) == request,
        "a request is another one when it is written down again")
    } else {
      _ = try SealedPassJSON(input.span)
    }
  }
}
