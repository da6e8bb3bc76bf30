package import Crypto

/// The public key that verifies a log's checkpoints.
package struct NoteVerifier: Sendable {
  package let key: NoteKey

  /// - Throws: `NoteError.key` unless it is an Ed25519 key, `.name` for an invalid name.
  package init(name: String, key: PublicKey) throws(NoteError) { self.key = try NoteKey(name: name, key: key, .note) }

  /// Parses `name+hex(key id)+base64(0x01 ‖ public key)`.
  package init(vkey: some StringProtocol) throws(NoteError) { key = try NoteKey(vkey: vkey, .note) }

  /// The log's origin, such as `kist.example.org/audit`.
  package var name: String { key.name }
  package var keyID: UInt32 { key.keyID }
  package var vkey: String { key.vkey }
  /// The Ed25519 key's SubjectPublicKeyInfo.
  package var spki: [UInt8] { key.spki }

  func verify(_ signature: Span<UInt8>, over text: Span<UInt8>) -> Bool { key.verify(signature, over: text) }
}
