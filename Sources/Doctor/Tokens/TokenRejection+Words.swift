internal import ApplePay

extension TokenRejection {
  /// Name, sentence and remedy of a failed check of the signature.
  var words: (name: String, sentence: String, remedy: String) {
    switch self {
    case .format: ("format", "a field has a size that Apple's never have", Self.unchanged)
    case .version: ("version", "the key field is that of another version", Self.unchanged)
    case .cms:
      (
        "cms", "'signature' is not detached CMS SignedData with one signer and its two certificates",
        "Ask where the token comes from: Apple's signatures have this form, those of home-made test tokens often not."
      )
    case .leafMarker: ("leaf-marker", "no certificate in 'signature' is marked as Apple's token signer", Self.otherPKI)
    case .intermediateMarker: ("intermediate-marker", "no certificate in 'signature' is marked as Apple's token signing CA", Self.otherPKI)
    case .extraCertificate: ("extra-certificate", "'signature' brings a certificate that does not belong to the chain", Self.otherPKI)
    case .chain: ("chain", "the signer's chain does not end at the trusted root", Self.otherPKI)
    case .signer: ("signer", "the signer that 'signature' names is not the one whose certificate it brings", Self.refuse)
    case .algorithm: ("algorithm", "the signature's algorithms are not those of the token's version", Self.refuse)
    case .signedAttributes: ("signed-attributes", "content type, message digest or signing time is missing from what was signed", Self.refuse)
    case .messageDigest:
      (
        "message-digest", "what was signed is not this data, key, transaction identifier and application data",
        "Pass the token through unchanged; a member of another token, or one that was re-encoded, breaks the signature."
      )
    case .signature: ("signature", "the signature itself is not the signer's", Self.refuse)
    case .certificateValidity: ("certificate-validity", "the signer's certificates were not valid when it signed", Self.refuse)
    case .signingTime: ("signing-time", "the signing time is out of all bounds", Self.refuse)
    // The checks below need the merchant's key, so they are never the one at which a signature fails.
    case .publicKeyHash, .keyAgreement, .tag, .plaintext, .expectation: ("key", "the token does not open with its key", Self.refuse)
    }
  }

  private static let unchanged = "Pass the members through unchanged."
  private static let refuse = "Refuse it: Apple did not sign this."
  private static let otherPKI = "A test PKI made it, or nobody did: judge a sandbox's token with --root and the sandbox's root certificate."
}
