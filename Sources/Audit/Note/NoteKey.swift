package import Crypto
import Format

/// A named Ed25519 key with the number of its signature type (C2SP signed-note).
package struct NoteKey: Sendable {
  package let name: String
  package let algorithm: Algorithm
  /// The first four bytes of SHA-256(name ‖ 0x0A ‖ algorithm ‖ public key), big-endian.
  package let keyID: UInt32
  private let key: PublicKey
  private let raw: [UInt8]

  package enum Algorithm: UInt8, Sendable {
    /// Signs a note's text.
    case note = 0x01
    /// Signs a time and a checkpoint's text (C2SP tlog-cosignature).
    case cosignature = 0x04
  }

  /// - Throws: `NoteError.name` unless the name is 1 to 255 bytes of UTF-8 without spaces,
  ///   controls, `+` and a leading `{`.
  package init(name: String, key: PublicKey, _ algorithm: Algorithm) throws(NoteError) {
    guard case .ed25519 = key.kind else { throw .key }
    guard NoteName.isValid(name) else { throw .name }
    self.name = name
    self.algorithm = algorithm
    self.key = key
    raw = Array(key.spki.suffix(32))
    keyID = Self.keyID(name, algorithm, raw)
  }

  package var vkey: String {
    name + "+" + Hex.encode(keyID.bigEndianBytes) + "+" + Base64.encode([algorithm.rawValue] + raw)
  }

  /// The SubjectPublicKeyInfo.
  package var spki: [UInt8] { key.spki }

  package func verify(_ signature: Span<UInt8>, over text: Span<UInt8>) -> Bool {
    key.verify(signature: signature, message: text)
  }

  private static func keyID(_ name: String, _ algorithm: Algorithm, _ raw: [UInt8]) -> UInt32 {
    SHA256.hash(Array(name.utf8) + [0x0A, algorithm.rawValue] + raw).bytes.prefix(4).reduce(0) {
      $0 << 8 | UInt32($1)
    }
  }
}

/// The public key that verifies a log's checkpoints.
package struct NoteVerifier: Sendable {
  package let key: NoteKey

  /// - Throws: `NoteError.key` for a key that signs something else than notes.
  package init(_ key: NoteKey) throws(NoteError) {
    guard key.algorithm == .note else { throw .key }
    self.key = key
  }

  /// - Throws: `NoteError.key` unless it is an Ed25519 key, `.name` for an invalid name.
  package init(name: String, key: PublicKey) throws(NoteError) {
    try self.init(NoteKey(name: name, key: key, .note))
  }

  /// The log's origin, such as `kist.example.org/audit`.
  package var name: String { key.name }
  package var keyID: UInt32 { key.keyID }
  package var vkey: String { key.vkey }
  /// The Ed25519 key's SubjectPublicKeyInfo.
  package var spki: [UInt8] { key.spki }

  func verify(_ signature: Span<UInt8>, over text: Span<UInt8>) -> Bool {
    key.verify(signature, over: text)
  }
}

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

enum NoteName {
  static func isValid(_ name: some StringProtocol) -> Bool {
    (1...255).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "{")
      && !name.unicodeScalars.contains {
        $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F || $0 == "+"
      }
  }

  /// A valid name from UTF-8, or nil.
  static func read(_ bytes: Span<UInt8>) -> String? {
    guard (1...255).contains(bytes.count) else { return nil }
    var isPlain = bytes[0] != UInt8(ascii: "{")
    for i in bytes.indices where !(0x21...0x7E).contains(bytes[i]) || bytes[i] == UInt8(ascii: "+")
    { isPlain = false }
    guard let name = String(validating: bytes.array, as: UTF8.self) else { return nil }
    // Nearly all names are plain ASCII, and Unicode's tables are slow.
    return isPlain || isValid(name) ? name : nil
  }
}

package enum NoteError: Error, Equatable {
  case name, key
  /// The text does not have the expected form.
  case format
  /// The note is signed by another name or key.
  case signer
  case signature
  case backend
}
