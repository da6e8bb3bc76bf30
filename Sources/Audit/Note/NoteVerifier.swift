package import CryptoBackend
internal import Encoding

/// A public Ed25519 key that signs notes under a name (C2SP signed-note).
package struct NoteVerifier: Sendable {
  /// The log's origin, such as `kist.example.org/audit`.
  package let name: String
  /// The first four bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), big-endian.
  package let keyID: UInt32
  private let key: PublicKey
  private let raw: [UInt8]

  /// - Throws: `NoteError.name` where the name is not 1 to 255 bytes of UTF-8 free of spaces, controls, `+` and a leading `{`.
  package init(name: String, key: PublicKey) throws(NoteError) {
    guard case .ed25519 = key.kind else { throw .key }
    guard NoteName.isValid(name) else { throw .name }
    (self.name, self.key, raw) = (name, key, Array(key.spki.suffix(32)))
    keyID = Self.keyID(name, raw)
  }

  /// Parses `name+hex(key id)+base64(0x01 ‖ public key)`.
  package init(vkey: some StringProtocol) throws(NoteError) {
    let parts = vkey.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let typed = Base64.decode(parts[2]), typed.count == 33, typed.first == algorithm else { throw .key }
    let raw = Array(typed.dropFirst())
    do throws(CryptoError) {
      key = try PublicKey(ed25519: raw.span)
    } catch { throw .key }
    guard NoteName.isValid(parts[0]) else { throw .name }
    name = String(parts[0])
    self.raw = raw
    keyID = Self.keyID(name, raw)
    guard parts[1].utf8.elementsEqual(Hex.encode(bigEndian(keyID)).utf8) else { throw .key }
  }

  package var vkey: String { name + "+" + Hex.encode(bigEndian(keyID)) + "+" + Base64.encode([algorithm] + raw) }

  /// The Ed25519 key's SubjectPublicKeyInfo.
  package var spki: [UInt8] { key.spki }

  func verify(_ signature: Span<UInt8>, over text: Span<UInt8>) -> Bool { key.verify(signature: signature, message: text) }

  private static func keyID(_ name: String, _ raw: [UInt8]) -> UInt32 {
    SHA256.hash(Array(name.utf8) + [0x0A, algorithm] + raw).bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

package enum NoteError: Error, Equatable, Sendable {
  case name, key
  /// The text is no note of the form wanted.
  case format
  /// The note is signed by another name or key.
  case signer
  case signature
  case backend
}

/// Ed25519's number among signature types.
private let algorithm: UInt8 = 0x01

func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

enum NoteName {
  static func isValid(_ name: some StringProtocol) -> Bool {
    (1...255).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "{")
      && !name.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F || $0 == "+" }
  }

  /// A valid name in UTF-8, or nil.
  static func read(_ bytes: Span<UInt8>) -> String? {
    guard (1...255).contains(bytes.count) else { return nil }
    var isPlain = bytes[0] != UInt8(ascii: "{")
    for i in bytes.indices where !(0x21...0x7E).contains(bytes[i]) || bytes[i] == UInt8(ascii: "+") { isPlain = false }
    guard let name = String(validating: bytes.array, as: UTF8.self) else { return nil }
    // Names are plain nearly always, and Unicode's tables are slow.
    return isPlain || isValid(name) ? name : nil
  }
}
