/// A deliberate defect of what a phone gives an app, so that it fails at exactly one check.
package enum PassDefect: String, CaseIterable, Sendable {
  /// The certificates do not lead to the sandbox's root.
  case otherRoot = "other-root"
  /// The leaf's certificate is not marked as Apple's for issuers.
  case noLeafMarker = "no-leaf-marker"
  /// The leaf's certificate is no longer valid.
  case expired
  /// The nonce is not signed by the phone, which only Apple notices.
  case badNonceSignature = "bad-nonce-signature"
}
