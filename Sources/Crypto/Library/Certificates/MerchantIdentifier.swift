internal import Format

extension Certificate {
  /// The hash of the merchant identifier in this merchant certificate, checked against its subject.
  ///
  /// Extension 1.2.840.113635.100.6.32 holds the hash as `0C 40` and 64 hexadecimal characters. The subject's UID is the
  /// identifier itself, and its SHA-256 must equal the hash.
  ///
  /// - Throws: `invalidCertificate` if either is missing or malformed, or they differ.
  package func merchantIdentifierHash() throws(CryptoError) -> Digest256 {
    guard let value = extensionValue(.appleMerchantIdentifier), value.count == 66, value.starts(with: [0x0C, 0x40]),
      let bytes = Hex.decode(value.span.extracting(2..<66)), let hash = Digest256(bytes),
      let identifier = subjectUID, SHA256.hash(Array(identifier.utf8)) == hash
    else { throw .invalidCertificate }
    return hash
  }
}
