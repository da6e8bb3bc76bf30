package import Crypto
internal import Format

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

  /// - Throws: `NoteError.name` unless the name is 1 to 255 bytes of UTF-8 without spaces, controls, `+` and a leading `{`.
  package init(name: String, key: PublicKey, _ algorithm: Algorithm) throws(NoteError) {
    guard case .ed25519 = key.kind else { throw .key }
    guard NoteName.isValid(name) else { throw .name }
    (self.name, self.algorithm, self.key, raw) = (name, algorithm, key, Array(key.spki.suffix(32)))
    keyID = Self.keyID(name, algorithm, raw)
  }

  /// Parses `name+hex(key id)+base64(algorithm ‖ public key)`.
  package init(vkey: some StringProtocol, _ algorithm: Algorithm) throws(NoteError) {
    let parts = vkey.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let typed = Base64.decode(parts[2]), typed.count == 33, typed.first == algorithm.rawValue else { throw .key }
    let raw = Array(typed.dropFirst())
    do throws(CryptoError) {
      try self.init(name: String(parts[0]), ed25519: raw, algorithm)
    } catch { throw .key }
    guard NoteName.isValid(name) else { throw .name }
    guard parts[1].utf8.elementsEqual(Hex.encode(keyID.bigEndianBytes).utf8) else { throw .key }
  }

  private init(name: String, ed25519 raw: [UInt8], _ algorithm: Algorithm) throws(CryptoError) {
    (self.name, self.algorithm, self.raw) = (name, algorithm, raw)
    key = try PublicKey(ed25519: raw.span)
    keyID = Self.keyID(name, algorithm, raw)
  }

  package var vkey: String { name + "+" + Hex.encode(keyID.bigEndianBytes) + "+" + Base64.encode([algorithm.rawValue] + raw) }

  /// The SubjectPublicKeyInfo.
  package var spki: [UInt8] { key.spki }

  /// Whether the signature line claims to be of this key; its signature is not verified.
  package func goes(with stamp: NoteStamp) -> Bool { stamp.name == name && stamp.keyID == keyID }

  package func verify(_ signature: Span<UInt8>, over text: Span<UInt8>) -> Bool { key.verify(signature: signature, message: text) }

  private static func keyID(_ name: String, _ algorithm: Algorithm, _ raw: [UInt8]) -> UInt32 {
    SHA256.hash(Array(name.utf8) + [0x0A, algorithm.rawValue] + raw).bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
