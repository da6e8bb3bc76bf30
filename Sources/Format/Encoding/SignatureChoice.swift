/// A signature scheme that callers can request: algorithm, hash and encoding, with its number on
/// our wire, which is never reused.
package enum SignatureChoice: UInt8, CaseIterable, Sendable {
  /// In DER (RFC 3279 §2.2.3), with the hash that matches the curve.
  case ecdsaP256SHA256 = 1
  case ecdsaP384SHA384 = 2
  /// r ‖ s, each as long as the field (IEEE P1363).
  case ecdsaP256SHA256Fixed = 3
  case ecdsaP384SHA384Fixed = 4
  /// RFC 8017 §8.2.
  case rsaPKCS1SHA256 = 5
  case rsaPKCS1SHA384 = 6
  case rsaPKCS1SHA512 = 7
  /// RFC 8017 §8.1: MGF1 with the same hash, and a salt of the digest's length.
  case rsaPSSSHA256 = 8
  case rsaPSSSHA384 = 9
  case rsaPSSSHA512 = 10
  /// RFC 8032, over the message itself.
  case ed25519 = 11
}
