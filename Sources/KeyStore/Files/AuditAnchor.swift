package import Crypto
internal import Host

/// The audit log's size and root when a manifest was written; a log that is shorter or has another root was rolled back.
package struct AuditAnchor: Hashable, Sendable {
  /// Records in the log.
  package let size: UInt64
  /// RFC 6962 root over them.
  package let root: Digest256

  package init(size: UInt64, root: Digest256) { (self.size, self.root) = (size, root) }

  /// The anchor of an empty log; the root of an empty tree is the hash of nothing.
  package static let beginning = AuditAnchor(size: 0, root: SHA256.hash([]))
}

extension KeyStore {
  /// HMAC-SHA-256 over the daemon's recollection file, its summary of what otherwise only the log remembers. [KS-RECOLLECTION]
  package func authenticator(ofRecollection bytes: Span<UInt8>) throws(CryptoError) -> Digest256 {
    try keys.authenticator(ofRecollection: bytes)
  }
}
