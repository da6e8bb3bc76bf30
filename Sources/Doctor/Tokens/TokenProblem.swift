package import ApplePay
package import Format
package import KistClient

/// A reason why a token cannot be opened.
package enum TokenProblem: Equatable, Sendable {
  /// There is no text at all.
  case nothing
  /// An object that has none of a token's members.
  case otherJSON
  /// It is no token, or one from Apple's simulator.
  case text(ApplePayTokenJSONError)
  /// A field has this wrong number of bytes.
  case size(ApplePayTokenMember, Int)
  /// Apple's signature fails at this check.
  case signature(TokenRejection)
  /// The signature is good for the token without its application data.
  case unsignedApplicationData
  case stale(seconds: Int64, window: UInt32)
  case fromTheFuture(seconds: Int64, window: UInt32)
  /// The ephemeral public key is no point on P-256.
  case ephemeralKey
  /// It was made for a key that is in none of the given certificates.
  case otherCertificate
  /// It was made for the key of a merchant identity certificate.
  case identityCertificate
  /// The certificate contradicts itself about the merchant, on whom the content key depends.
  case merchantIdentifier
}

/// A remark that does not prevent opening the token.
package enum TokenNote: Hashable, Sendable {
  /// Apple's sandbox signed it, which has the same root as production.
  case appleSandbox
  /// The merchant's certificate had ended, or not begun, when the token was signed.
  case certificateNotValid(at: Timestamp)
}

extension TokenProblem {
  /// A stable name for programs.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .otherJSON: "other-json"
    case .text(.notJSON): "not-json"
    case .text(.byteOrderMark): "byte-order-mark"
    case .text(.utf16): "utf-16"
    case .text(.duplicate): "duplicate-member"
    case .text(.limits): "limits"
    case .text(.notToken): "not-a-token"
    case .text(.empty): "empty-member"
    case .text(.missing): "missing-member"
    case .text(.malformed): "malformed-member"
    case .text(.unknownVersion): "version"
    case .text(.simulator): "simulator"
    case .size: "size"
    case .signature(let stage): "signature-" + stage.words.name
    case .unsignedApplicationData: "unsigned-application-data"
    case .stale: "stale"
    case .fromTheFuture: "from-the-future"
    case .ephemeralKey: "ephemeral-key"
    case .otherCertificate: "other-certificate"
    case .identityCertificate: "identity-certificate"
    case .merchantIdentifier: "merchant-identifier"
    }
  }

  /// What is wrong, without a period.
  package var sentence: String {
    switch self {
    case .nothing: "this is empty: there is no token in it"
    case .otherJSON: "this is JSON of something else: it has none of the members of Apple's tokens"
    case .text(.notJSON): "this is neither JSON nor base64 of it"
    case .text(.byteOrderMark): "a byte order mark stands before the JSON"
    case .text(.utf16): "this is text in UTF-16; JSON is UTF-8"
    case .text(.duplicate): "an object in the JSON has two members of one name"
    case .text(.limits): "this is longer, nests deeper or has more values than any token"
    case .text(.notToken): "this is JSON, but not a payment token"
    case .text(.empty(let member)): "the member '\(member.rawValue)' is empty, and others are not"
    case .text(.missing(let member)): "the member '\(member.rawValue)' is missing"
    case .text(.malformed(let member)): "the member '\(member.rawValue)' is not \(member.encoding)"
    case .text(.unknownVersion): "the token is neither EC_v1 nor RSA_v1"
    case .text(.simulator):
      "Apple's simulator made this token: it is empty, and nothing can open it"
    case .size(let member, let count):
      "'\(member.rawValue)' has \(count) \(count == 1 ? "byte" : "bytes"); Apple's have \(member.size)"
    case .signature(let stage): stage.words.sentence
    case .unsignedApplicationData:
      "Apple signed this token without application data, and 'applicationData' stands in it"
    case .stale(let seconds, let window):
      "signed \(Self.span(seconds)) ago; the daemon takes a token for \(Self.span(Int64(window)))"
    case .fromTheFuture(let seconds, let window):
      "signed \(Self.span(seconds)) in the future; the daemon allows for \(Self.span(Int64(window)))"
    case .ephemeralKey: "'ephemeralPublicKey' is no point on P-256"
    case .otherCertificate: "the token was made for the key of none of the certificates given"
    case .identityCertificate: "the certificate is a Merchant Identity one, for TLS with Apple"
    case .merchantIdentifier:
      "the certificate's merchant identifier extension is not SHA-256 of its subject's UID"
    }
  }

  /// What to do about it, as a whole sentence.
  package var remedy: String {
    switch self {
    case .nothing:
      "Find out where it was lost, before it was written or sent; the paymentData of Apple's simulator is as empty as this, and nothing can open it."
    case .otherJSON:
      "Pass Apple's 'paymentData' on as it came: an object with 'version', 'data', 'signature' and 'header'."
    case .text(.notJSON):
      "Hand over paymentData as the app or the page got it: the JSON, or base64 of it in one line."
    case .text(.byteOrderMark), .text(.utf16): "Save or send it as UTF-8 without a byte order mark."
    case .text(.duplicate):
      "Find what writes it: programs differ in which of the two they take, so Kist takes neither."
    case .text(.limits):
      "Hand over the token alone: 512 KiB, 16 levels and 1024 values are far more than Apple's have."
    case .text(.notToken), .text(.missing), .text(.malformed), .text(.empty):
      "Log what the app sends: somewhere between PassKit and here the JSON was taken apart or re-encoded."
    case .text(.unknownVersion):
      "Update the app's SDK, and see whether this is an Apple Pay token at all."
    case .text(.simulator): "Use a device with a sandbox card, or mint one with kist sandbox token."
    case .size:
      "Pass the members through unchanged: not cut, not decoded twice, not converted to hexadecimal."
    case .signature(let stage): stage.words.remedy
    case .unsignedApplicationData: "Leave out 'applicationData' where the payment request had none."
    case .stale:
      "Open tokens when they are made; for tests of old ones, judge with --at, or mint new ones with kist sandbox token."
    case .fromTheFuture: "Set this host's clock: Apple's is right."
    case .ephemeralKey: "Refuse it: Apple signs no such token."
    case .otherCertificate:
      "Give the Payment Processing certificate that was active at Apple when the token was made; after a rotation keep the old key for a while."
    case .identityCertificate: "Use the Payment Processing certificate and its key."
    case .merchantIdentifier:
      "Download the certificate anew; with this one the tag would never match."
    }
  }

  private static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) seconds"
    case ..<7200: "\(seconds / 60) minutes"
    case ..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
  }
}

extension TokenNote {
  package var name: String {
    switch self {
    case .appleSandbox: "apple-sandbox"
    case .certificateNotValid: "certificate-not-valid"
    }
  }

  package var sentence: String {
    switch self {
    case .appleSandbox: "Apple's sandbox signed it: a test card, which no production acquirer takes"
    case .certificateNotValid(let moment):
      "the merchant's certificate was not valid at \(moment.wholeSeconds), when Apple signed"
    }
  }
}

extension ApplePayTokenMember {
  fileprivate var encoding: String {
    switch self {
    case .version: "a text"
    case .header: "an object"
    case .data, .signature, .ephemeralPublicKey, .wrappedKey, .publicKeyHash: "base64"
    case .transactionID, .applicationData: "hexadecimal"
    }
  }

  fileprivate var size: String {
    switch self {
    case .version, .header: "any"
    case .data: "\(PaymentToken.Sizes.data.lowerBound) to \(PaymentToken.Sizes.data.upperBound)"
    case .signature: "at most \(PaymentToken.Sizes.signature.upperBound)"
    case .ephemeralPublicKey: "\(PaymentToken.Sizes.ephemeralPublicKey)"
    case .wrappedKey: "\(PaymentToken.Sizes.wrappedKey)"
    case .publicKeyHash, .transactionID: "\(PaymentToken.Sizes.digest)"
    case .applicationData: "\(PaymentToken.Sizes.digest), or none"
    }
  }
}

extension TokenRejection {
  /// Name, sentence and remedy of a failed check of the signature.
  var words: (name: String, sentence: String, remedy: String) {
    switch self {
    case .format: ("format", "a field has a size that Apple's never have", Self.unchanged)
    case .version: ("version", "the key field is that of another version", Self.unchanged)
    case .cms:
      (
        "cms",
        "'signature' is not detached CMS SignedData with one signer and its two certificates",
        "Ask where the token comes from: Apple's signatures have this form, those of home-made test tokens often not."
      )
    case .leafMarker:
      (
        "leaf-marker", "no certificate in 'signature' is marked as Apple's token signer",
        Self.otherPKI
      )
    case .intermediateMarker:
      (
        "intermediate-marker",
        "no certificate in 'signature' is marked as Apple's token signing CA", Self.otherPKI
      )
    case .extraCertificate:
      (
        "extra-certificate", "'signature' brings a certificate that does not belong to the chain",
        Self.otherPKI
      )
    case .chain: ("chain", "the signer's chain does not end at the trusted root", Self.otherPKI)
    case .signer:
      (
        "signer", "the signer that 'signature' names is not the one whose certificate it brings",
        Self.refuse
      )
    case .algorithm:
      ("algorithm", "the signature's algorithms are not those of the token's version", Self.refuse)
    case .signedAttributes:
      (
        "signed-attributes",
        "content type, message digest or signing time is missing from what was signed", Self.refuse
      )
    case .messageDigest:
      (
        "message-digest",
        "what was signed is not this data, key, transaction identifier and application data",
        "Pass the token through unchanged; a member of another token, or one that was re-encoded, breaks the signature."
      )
    case .signature: ("signature", "the signature itself is not the signer's", Self.refuse)
    case .certificateValidity:
      (
        "certificate-validity", "the signer's certificates were not valid when it signed",
        Self.refuse
      )
    case .signingTime: ("signing-time", "the signing time is out of all bounds", Self.refuse)
    // The checks below need the merchant's key, so they are never the one at which a signature
    // fails.
    case .publicKeyHash, .keyAgreement, .tag, .plaintext, .expectation:
      ("key", "the token does not open with its key", Self.refuse)
    }
  }

  private static let unchanged = "Pass the members through unchanged."
  private static let refuse = "Refuse it: Apple did not sign this."
  private static let otherPKI =
    "A test PKI made it, or nobody did: judge a sandbox's token with --root and the sandbox's root certificate."
}
