internal import KistClient
internal import Sandbox

extension PassJSONError {
  var text: String {
    switch self {
    case .notObject: "not an object in JSON, or larger than any pass"
    case .missing(let member): "\(member) is missing"
    case .malformed(let member): "\(member) is not base64, or of another kind"
    }
  }
}

extension PassFault {
  /// What is wrong with a pass, and where to look.
  var text: String {
    switch self {
    case .ephemeralKey: "ephemeralPublicKey is not a point of P-256; expected 65 bytes that begin with 04"
    case .ciphertext:
      "encryptedPassData does not open: it was sealed for another certificate than this sandbox's leaf, with another ephemeralPublicKey, or changed since"
    case .notObject: "what was sealed is not an object of texts in JSON"
    case .members: "what was sealed does not have the members of one of Apple's configurations; proto/PROTOCOL.md has the table (OP-PROV-3)"
    case .nonce: "nonce and nonceSignature are not as this sandbox's phone gave them; expected those of kist sandbox pass-request, in hexadecimal"
    case .activation(let fault): "the network refuses activationData: \(fault.text)"
    case .encryptedNumber(let fault): "Visa refuses encryptedPrimaryAccountNumber: \(fault.text)"
    }
  }
}

extension NetworkFault {
  fileprivate var text: String {
    switch self {
    case .form: "it has neither Visa's form nor Mastercard's; --unchecked opens the pass without asking the network"
    case .key:
      "it is made under a key that the sandbox's network does not have; use \(TestIssuer.visa.label) or \(TestIssuer.mastercard.label), or open it with --unchecked"
    case .decryption: "it does not decrypt under \(TestIssuer.visa.label)"
    case .contradiction: "it is about another card or nonce than the pass"
    case .signature: "it is not signed with \(TestIssuer.mastercard.label) over this number and expiry; --unchecked opens the pass without asking the network"
    case .time: "it is no longer valid by the sandbox's clock, or valid for more than 30 days"
    }
  }
}
