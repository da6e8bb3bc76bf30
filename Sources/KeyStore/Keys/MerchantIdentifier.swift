package import Crypto

/// A merchant identifier such as `merchant.com.example`, and its SHA-256, which is PartyV in the key agreement.
package struct MerchantIdentifier: Hashable, Sendable {
  package let text: String
  package let hash: Digest256

  /// - Parameter text: 1 to 255 printable ASCII characters.
  package init?(_ text: String) {
    guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    self.text = text
    hash = SHA256.hash(Array(text.utf8))
  }

  /// Reads a merchant's certificate: the subject's UID, whose hash must be in the certificate's extension. [KS-IMPORT-MERCHANT]
  ///
  /// - Throws: `CryptoError.invalidCertificate` if either is missing or they differ.
  package init(_ certificate: Certificate) throws(CryptoError) {
    let hash = try certificate.merchantIdentifierHash()
    guard let uid = certificate.subjectUID, let identifier = MerchantIdentifier(uid), identifier.hash == hash
    else { throw .invalidCertificate }
    self = identifier
  }
}
