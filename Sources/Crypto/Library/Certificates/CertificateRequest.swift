import COpenSSL

/// PKCS #10 requests for a certificate (RFC 2986).
package enum CertificateRequest {
  /// An attribute of a name; each becomes its own relative distinguished name.
  package enum Attribute: Sendable, Equatable {
    case commonName(String)
    case userID(String)
    case organization(String)
    case organizationalUnit(String)
    case country(String)
  }

  /// A request for `key`, signed with it using SHA-256 (SHA-384 for P-384), without attributes.
  ///
  /// - Returns: DER.
  /// - Throws: `invalidInput` for an attribute that X.520 does not allow, such as a country without
  ///   exactly two letters.
  package static func make(subject: [Attribute], for key: PrivateKey) throws(CryptoError) -> [UInt8]
  {
    let request = try unsafe Owned(X509_REQ_new(), X509_REQ_free)
    try unsafe check(X509_REQ_set_version(request.pointer, 0))
    let name = try x509Name(subject)
    try unsafe check(X509_REQ_set_subject_name(request.pointer, name.pointer))
    try unsafe check(X509_REQ_set_pubkey(request.pointer, key.publicKey.key.pointer))
    guard unsafe X509_REQ_sign(request.pointer, key.key.pointer, digest(for: key)) > 0 else {
      throw failure(.backend)
    }
    let pointer = unsafe request.pointer
    return try unsafe encode { out in unsafe i2d_X509_REQ(pointer, out) }
  }

  /// The name with these attributes, in DER.
  ///
  /// - Throws: as `make`.
  package static func name(_ attributes: [Attribute]) throws(CryptoError) -> [UInt8] {
    let name = try x509Name(attributes)
    let pointer = unsafe name.pointer
    return try unsafe encode { out in unsafe i2d_X509_NAME(pointer, out) }
  }

  private static func x509Name(_ attributes: [Attribute]) throws(CryptoError) -> Owned {
    let name = try unsafe Owned(X509_NAME_new(), X509_NAME_free)
    for attribute in attributes {
      let text = Array(attribute.text.utf8)
      try unsafe check(
        X509_NAME_add_entry_by_NID(
          name.pointer, attribute.identifier, MBSTRING_UTF8, text, Int32(text.count), -1, 0),
        or: .invalidInput)
    }
    return name
  }

  /// The hash that `signer` signs with; nil for Ed25519, which has its own.
  private static func digest(for signer: PrivateKey) -> OpaquePointer? {
    switch signer.kind {
    case .p256, .rsa: unsafe EVP_sha256()
    case .p384: unsafe EVP_sha384()
    case .ed25519: nil
    }
  }
}

extension CertificateRequest.Attribute {
  fileprivate var identifier: Int32 {
    switch self {
    case .commonName: NID_commonName
    case .userID: NID_userId
    case .organization: NID_organizationName
    case .organizationalUnit: NID_organizationalUnitName
    case .country: NID_countryName
    }
  }

  fileprivate var text: String {
    switch self {
    case .commonName(let text), .userID(let text), .organization(let text),
      .organizationalUnit(let text), .country(let text):
      text
    }
  }
}
