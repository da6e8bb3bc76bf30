internal import COpenSSL

/// PKCS #10 requests for a certificate (RFC 2986).
package enum CertificateRequest {
  /// A request for `key`, signed with it using SHA-256 (SHA-384 for P-384), without attributes.
  ///
  /// - Returns: DER.
  /// - Throws: `invalidInput` for an attribute that X.520 does not allow, such as a country without exactly two letters.
  package static func make(subject: [CertificateBuilder.Attribute], for key: PrivateKey) throws(CryptoError) -> [UInt8] {
    let request = try unsafe Owned(X509_REQ_new(), X509_REQ_free)
    try unsafe check(X509_REQ_set_version(request.pointer, 0))
    let name = try CertificateBuilder.name(subject)
    try unsafe check(X509_REQ_set_subject_name(request.pointer, name.pointer))
    try unsafe check(X509_REQ_set_pubkey(request.pointer, key.publicKey.key.pointer))
    guard unsafe X509_REQ_sign(request.pointer, key.key.pointer, CertificateBuilder.digest(for: key)) > 0 else { throw failure(.backend) }
    let pointer = unsafe request.pointer
    return try unsafe encode { out in unsafe i2d_X509_REQ(pointer, out) }
  }
}
