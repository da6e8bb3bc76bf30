package import Host

/// The format of data that Kist seals under an AES-256 key and opens again itself.
///
/// `u8 version ‖ 16 B key id ‖ 12 B nonce ‖ ciphertext ‖ 16 B tag`. The associated data is the
/// first 29 bytes followed by the caller's own. A rotated key is a new key with a new id, so the id
/// also tells the key's version [OP-SEAL-2].
package struct Envelope: ~Escapable {
  package static let version: UInt8 = 1
  package static let keyIDSize = 16
  static let nonceSize = 12
  static let headerSize = 1 + keyIDSize + nonceSize
  /// How much longer an envelope is than its contents.
  package static let overhead = headerSize + AESGCM.tagSize

  private let bytes: Span<UInt8>

  /// Parses an envelope; nothing in it is authenticated before `open`.
  ///
  /// - Throws: `invalidInput` if it is too short or of another version.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count >= Self.overhead, bytes[0] == Self.version else { throw .invalidInput }
    self.bytes = bytes
  }

  /// The id of the key that sealed it, 16 bytes.
  package var keyID: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(1..<1 + Self.keyIDSize) }
  }

  /// Seals with a random nonce; the caller must limit each key to 2³² envelopes.
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - id: 16 bytes, zero for a key that has no id.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Span<UInt8>, id: Span<UInt8>, associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == 32, id.count == keyIDSize else { throw .invalidInput }
    let nonce = try Random.bytes(nonceSize)
    let header = [version] + id.array + nonce
    let sealed = try AESGCM.seal(
      key: key, iv: nonce.span, plaintext: plaintext, aad: header.span, furtherAAD: associatedData)
    return header + sealed
  }

  /// Opens the envelope with `key`, 32 bytes.
  ///
  /// - Throws: `authenticationFailed` if key, header, associated data or contents differ from those
  ///   at sealing.
  package func open(key: Span<UInt8>, associatedData: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    guard key.count == 32 else { throw .invalidInput }
    let header = bytes.extracting(first: Self.headerSize)
    let tagged = bytes.extracting(droppingFirst: Self.headerSize)
    return try AESGCM.open(
      key: key, iv: header.extracting(last: Self.nonceSize),
      ciphertext: tagged.extracting(droppingLast: AESGCM.tagSize),
      tag: tagged.extracting(last: AESGCM.tagSize), aad: header, furtherAAD: associatedData)
  }
}
