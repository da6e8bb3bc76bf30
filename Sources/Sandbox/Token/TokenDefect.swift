/// A deliberate defect of a token that is otherwise right, so that it fails at exactly one check.
package enum TokenDefect: String, CaseIterable, Sendable {
  /// Encrypted for another key than the one it names.
  case wrongKey = "wrong-key"
  case badSignature = "bad-signature"
  /// The signer's certificate is not marked as Apple's.
  case noLeafMarker = "no-leaf-marker"
  /// Apple signed a tag that is not the ciphertext's.
  case badTag = "bad-tag"
}
