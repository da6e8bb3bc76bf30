import COpenSSL
import Format

/// Copies the fields of OpenSSL's X509 into our own types.
@safe struct CertificateReader: ~Copyable {
  private let x509: OpaquePointer

  /// The caller must keep `x509` alive.
  @unsafe init(x509: OpaquePointer) { unsafe self.x509 = unsafe x509 }

  func encoded() throws(CryptoError) -> [UInt8] {
    try unsafe encode { out in unsafe i2d_X509(x509, out) }
  }

  /// Whether the version is 3 and OpenSSL could parse the extensions that it knows.
  func isWellFormed() throws(CryptoError) -> Bool {
    // The first such call parses and caches the extensions; later ones only read the cache.
    guard unsafe X509_check_purpose(x509, -1, 0) == 1 else {
      guard failure(.invalidCertificate) == .exhausted else { return false }
      throw .exhausted
    }
    return unsafe X509_get_extension_flags(x509) & UInt32(EXFLAG_INVALID) == 0
      && X509_get_version(x509) == 2
  }

  func publicKey() throws(CryptoError) -> PublicKey {
    let spki = try unsafe encode { out in unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509), out) }
    do throws(CryptoError) { return try PublicKey(spki: spki) } catch {
      guard error.asKeyError == .invalidKey else { throw error }
      throw .invalidCertificate
    }
  }

  func subjectDER() throws(CryptoError) -> [UInt8] {
    try unsafe encode { out in unsafe i2d_X509_NAME(X509_get_subject_name(x509), out) }
  }

  func issuerDER() throws(CryptoError) -> [UInt8] {
    try unsafe encode { out in unsafe i2d_X509_NAME(X509_get_issuer_name(x509), out) }
  }

  func serialDER() throws(CryptoError) -> [UInt8] {
    try unsafe encode { out in unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(x509), out) }
  }

  func notBefore() throws(CryptoError) -> Timestamp {
    try unsafe timestamp(X509_get0_notBefore(x509))
  }

  func notAfter() throws(CryptoError) -> Timestamp {
    try unsafe timestamp(X509_get0_notAfter(x509))
  }

  var isCA: Bool { unsafe X509_get_extension_flags(x509) & UInt32(EXFLAG_CA) != 0 }

  var pathLength: Int? {
    let length = unsafe X509_get_pathlen(x509)
    return length < 0 ? nil : length
  }

  var keyUsage: KeyUsage? {
    let bits = unsafe X509_get_key_usage(x509)
    return bits == UInt32.max ? nil : KeyUsage(rawValue: bits)
  }

  func extensions() throws(CryptoError) -> [Certificate.Extension] {
    var found: [Certificate.Extension] = []
    let count = unsafe X509_get_ext_count(x509)
    for index in 0..<count {
      guard let item = unsafe X509_get_ext(x509, index),
        let object = unsafe X509_EXTENSION_get_object(item),
        let value = unsafe X509_EXTENSION_get_data(item), let oid = unsafe OBJ_get0_data(object)
      else { throw .invalidCertificate }
      let contents = unsafe Array(UnsafeBufferPointer(start: oid, count: OBJ_length(object)))
      guard !found.contains(where: { $0.oid.contents == contents }) else {
        throw .invalidCertificate
      }
      found.append(
        Certificate.Extension(
          oid: OID(contents: contents), isCritical: unsafe X509_EXTENSION_get_critical(item) != 0,
          value: unsafe octets(value)))
    }
    return found
  }

  /// The text of the subject's attribute of this kind; nil if there is not exactly one, or if it
  /// contains a zero character.
  func subjectAttribute(_ identifier: Int32) throws(CryptoError) -> String? {
    let name = unsafe X509_get_subject_name(x509)
    let index = unsafe X509_NAME_get_index_by_NID(name, identifier, -1)
    guard index >= 0, unsafe X509_NAME_get_index_by_NID(name, identifier, index) < 0 else {
      return nil
    }
    let entry = unsafe X509_NAME_get_entry(name, index)
    var text: UnsafeMutablePointer<UInt8>?
    let size = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
    guard size >= 0, let start = unsafe text else { throw failure(.invalidCertificate) }
    defer { unsafe CRYPTO_free(start, "", 0) }
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(size)))
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}

extension CertificateReader {
  @unsafe private func octets(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    unsafe Array(
      UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
  }

  @unsafe private func timestamp(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Timestamp
  {
    var parts = unsafe tm()
    try unsafe check(ASN1_TIME_to_tm(time, &parts), or: .invalidCertificate)
    let moment = unsafe Timestamp(
      year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
      hour: Int(parts.tm_hour),
      minute: Int(parts.tm_min), second: Int(parts.tm_sec))
    guard let moment else { throw .invalidCertificate }
    return moment
  }
}

/// Calls an `i2d` function twice: for the size, then for the bytes.
package func encode(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32)
  throws(CryptoError) -> [UInt8]
{
  let size = write(nil)
  guard size > 0 else { throw failure(.backend) }
  var bytes = [UInt8](repeating: 0, count: Int(size))
  var out = bytes.mutableSpan
  var next: UnsafeMutablePointer<UInt8>? = unsafe out.mutableStart
  guard unsafe write(&next) == size else { throw failure(.backend) }
  return bytes
}
