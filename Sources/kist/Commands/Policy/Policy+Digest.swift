internal import Crypto
internal import Policy

extension Policy {
  /// Identifies the policy in the audit log, in a ceremony's file and for a swap: SHA-256 of its canonical text.
  var digest: Digest256 { SHA256.hash(Array(canonicalText.utf8)) }
}
