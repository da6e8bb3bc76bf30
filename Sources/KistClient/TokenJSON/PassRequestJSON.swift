package import Format

/// What Apple Wallet gives an app that adds a card, as the app posts it to the issuer's host: an object with binary values in base64.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", "Data Exchange".
package struct PassRequestJSON: Equatable, Sendable {
  /// DER; Wallet gives the leaf first.
  package let certificates: [[UInt8]]
  package let nonce, nonceSignature: [UInt8]

  package init(certificates: [[UInt8]], nonce: [UInt8], nonceSignature: [UInt8]) {
    (self.certificates, self.nonce, self.nonceSignature) = (certificates, nonce, nonceSignature)
  }

  /// - Throws: the first member that is missing or malformed; other members are an app's own business.
  package init(_ text: Span<UInt8>) throws(PassJSONError) {
    let document = try PassDocument(text)
    certificates = try document.list("certificates")
    nonce = try document.bytes(["nonce"])
    nonceSignature = try document.bytes(["nonceSignature"])
  }

  package var json: CanonicalJSON {
    [
      "certificates": .array(certificates.map { .string(Base64.encode($0)) }), "nonce": .string(Base64.encode(nonce)),
      "nonceSignature": .string(Base64.encode(nonceSignature)),
    ]
  }
}

/// Why a text is not what an app or an issuer's host sends.
package enum PassJSONError: Error, Equatable, Sendable {
  /// Not an object in JSON, or larger than any pass.
  case notObject
  case missing(String)
  /// The member is of another kind, or not base64.
  case malformed(String)
}
