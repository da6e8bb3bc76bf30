/// The most bytes of the fields of primitives.
package enum PrimitiveCaps {
  package static let handle = 16
  /// A message to sign or authenticate, or a plaintext to seal.
  package static let message = 64 * 1024
  package static let associatedData = 4 * 1024
  /// What sealing adds: an envelope's header and tag.
  package static let envelopeOverhead = 45
  package static let sealed = message + envelopeOverhead
  /// An uncompressed point or a SubjectPublicKeyInfo.
  package static let peer = 120
  package static let sharedSecret = 48
  /// A whole OtherInfo or one of its parts; a salt.
  package static let info = 1024
  /// A signature or a wrapped key of the largest RSA key.
  package static let modulus = 512
  package static let mac = 64
  /// The output sizes of a derivation.
  package static let derived = 16...256
}
