package import Crypto

/// A private Ed25519 key that signs notes under a name.
package struct NoteSigner: Sendable {
  package let verifier: NoteVerifier
  private let key: PrivateKey

  /// - Throws: `NoteError.key` unless it is an Ed25519 key, `.name` for an invalid name.
  package init(name: String, key: PrivateKey) throws(NoteError) {
    verifier = try NoteVerifier(name: name, key: key.publicKey)
    self.key = key
  }

  package var name: String { verifier.name }

  /// The note: the text, which must end with a newline, an empty line and the signature line.
  func sign(_ text: [UInt8]) throws(NoteError) -> [UInt8] {
    let signature: [UInt8]
    do throws(CryptoError) { signature = try key.sign(text.span) } catch { throw .backend }
    return text + [0x0A] + NoteStamp(name: name, keyID: verifier.keyID, signature: signature).line
  }
}
