import COpenSSL
package import Format

/// Makes and signs X.509 version 3 certificates, for a test PKI.
package struct CertificateBuilder: Sendable {
  /// An attribute of a name; each becomes its own relative distinguished name.
  package enum Attribute: Sendable, Equatable {
    case commonName(String)
    case userID(String)
    case organization(String)
    case organizationalUnit(String)
    case country(String)
  }

  package var subject: [Attribute]
  package var serial: UInt64
  package var notBefore, notAfter: Timestamp
  package var extensions: [Certificate.Extension]

  package init(
    subject: [Attribute], serial: UInt64, notBefore: Timestamp, notAfter: Timestamp,
    extensions: [Certificate.Extension] = []
  ) {
    self.subject = subject
    self.serial = serial
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.extensions = extensions
  }

  /// Issues a certificate for `key`, signed with the issuer's private key.
  ///
  /// - Parameter issuer: the issuer's certificate, whose subject becomes the issuer name; nil for a
  ///   self-signed certificate.
  package func issue(for key: PublicKey, by issuer: Certificate?, signedWith signer: PrivateKey)
    throws(CryptoError) -> Certificate
  {
    let x509 = try unsafe Owned(X509_new(), X509_free)
    try unsafe check(X509_set_version(x509.pointer, 2))
    try setSerial(x509)
    try setNames(x509, issuer)
    try setWindow(x509)
    try unsafe check(X509_set_pubkey(x509.pointer, key.key.pointer))
    for item in extensions { try add(item, to: x509) }
    guard unsafe X509_sign(x509.pointer, signer.key.pointer, Self.digest(for: signer)) > 0 else {
      throw failure(.backend)
    }
    let pointer = unsafe x509.pointer
    return try Certificate(der: try unsafe encode { out in unsafe i2d_X509(pointer, out) })
  }

  private func setSerial(_ x509: borrowing Owned) throws(CryptoError) {
    let number = try unsafe Owned(BN_new(), BN_free)
    try unsafe check(BN_set_word(number.pointer, UInt(serial)))
    guard unsafe BN_to_ASN1_INTEGER(number.pointer, X509_get_serialNumber(x509.pointer)) != nil
    else { throw failure(.backend) }
  }

  private func setNames(_ x509: borrowing Owned, _ issuer: Certificate?) throws(CryptoError) {
    let name = try Self.name(subject)
    try unsafe check(X509_set_subject_name(x509.pointer, name.pointer))
    let issuerName =
      unsafe issuer.map { unsafe X509_get_subject_name($0.x509.pointer) } ?? name.pointer
    try unsafe check(X509_set_issuer_name(x509.pointer, issuerName))
  }

  private func setWindow(_ x509: borrowing Owned) throws(CryptoError) {
    guard unsafe ASN1_TIME_set(X509_getm_notBefore(x509.pointer), Int(notBefore.seconds)) != nil,
      unsafe ASN1_TIME_set(X509_getm_notAfter(x509.pointer), Int(notAfter.seconds)) != nil
    else { throw failure(.invalidInput) }
  }

  private func add(_ item: Certificate.Extension, to x509: borrowing Owned) throws(CryptoError) {
    let object = try unsafe Owned(
      OBJ_txt2obj(item.oid.description, 1), ASN1_OBJECT_free, or: .invalidInput)
    guard let value = unsafe ASN1_OCTET_STRING_new() else { throw failure(.backend) }
    defer { unsafe ASN1_OCTET_STRING_free(value) }
    try unsafe check(ASN1_OCTET_STRING_set(value, item.value, Int32(item.value.count)))
    let made = try unsafe Owned(
      X509_EXTENSION_create_by_OBJ(nil, object.pointer, item.isCritical ? 1 : 0, value),
      X509_EXTENSION_free)
    try unsafe check(X509_add_ext(x509.pointer, made.pointer, -1))
  }

}

extension CertificateBuilder {
  static func name(_ attributes: [Attribute]) throws(CryptoError) -> Owned {
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
  static func digest(for signer: PrivateKey) -> OpaquePointer? {
    switch signer.kind {
    case .p256, .rsa: unsafe EVP_sha256()
    case .p384: unsafe EVP_sha384()
    case .ed25519: nil
    }
  }
}

extension CertificateBuilder.Attribute {
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

/// PKCS #10 requests for a certificate (RFC 2986).
package enum CertificateRequest {
  /// A request for `key`, signed with it using SHA-256 (SHA-384 for P-384), without attributes.
  ///
  /// - Returns: DER.
  /// - Throws: `invalidInput` for an attribute that X.520 does not allow, such as a country without
  ///   exactly two letters.
  package static func make(subject: [CertificateBuilder.Attribute], for key: PrivateKey)
    throws(CryptoError) -> [UInt8]
  {
    let request = try unsafe Owned(X509_REQ_new(), X509_REQ_free)
    try unsafe check(X509_REQ_set_version(request.pointer, 0))
    let name = try CertificateBuilder.name(subject)
    try unsafe check(X509_REQ_set_subject_name(request.pointer, name.pointer))
    try unsafe check(X509_REQ_set_pubkey(request.pointer, key.publicKey.key.pointer))
    guard
      unsafe X509_REQ_sign(request.pointer, key.key.pointer, CertificateBuilder.digest(for: key))
        > 0
    else { throw failure(.backend) }
    let pointer = unsafe request.pointer
    return try unsafe encode { out in unsafe i2d_X509_REQ(pointer, out) }
  }
}
